/* Condition variables: hand-off round a ring, bounded queue, barrier. */
#include <stdlib.h>

#include "workloads/catalogue.h"

struct lone_cond {
	alignas(OWN_APART) struct own_peer_cond cond;
};

struct ring {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	unsigned turn;
	struct lone_cond *conds;
};

static void setup_handoff(struct own_run *run)
{
	struct ring *ring = own_allocate(1, sizeof(*ring));

	run->thread_count = (unsigned)run->arguments[0];
	own_peer_mutex_init(&ring->mutex);
	ring->conds = own_allocate(run->thread_count, sizeof(*ring->conds));
	for (unsigned i = 0; i < run->thread_count; i++)
		own_peer_cond_init(&ring->conds[i].cond);
	run->state = ring;
}

static void thread_handoff(struct own_run *run, struct own_thread *self)
{
	struct ring *ring = run->state;
	const unsigned next = (self->index + 1) % run->thread_count;

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		own_peer_lock(&ring->mutex);
		while (ring->turn != self->index && !own_stopping(run))
			own_peer_wait(&ring->conds[self->index].cond, &ring->mutex);
		own_sample_end(self, started);
		ring->turn = next;
		own_peer_signal(&ring->conds[next].cond);
		own_peer_unlock(&ring->mutex);
		own_count(self, 1);
	}
}

static void wake_handoff(struct own_run *run)
{
	struct ring *ring = run->state;

	own_peer_lock(&ring->mutex);
	for (unsigned i = 0; i < run->thread_count; i++)
		own_peer_broadcast(&ring->conds[i].cond);
	own_peer_unlock(&ring->mutex);
}

static void teardown_handoff(struct own_run *run)
{
	struct ring *ring = run->state;

	for (unsigned i = 0; i < run->thread_count; i++)
		own_peer_cond_destroy(&ring->conds[i].cond);
	own_peer_mutex_destroy(&ring->mutex);
	free(ring->conds);
	free(ring);
}

const struct own_workload own_workload_handoff = {
    .name = "handoff",
    .usage = "[N]",
    .help = "a turn handed round a ring of N threads, each waiting on a condition of its own",
    .arguments = 1,
    .defaults = {2},
    .setup = setup_handoff,
    .thread = thread_handoff,
    .wake = wake_handoff,
    .teardown = teardown_handoff,
};

struct queue {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	alignas(OWN_APART) struct own_peer_cond not_empty;
	alignas(OWN_APART) struct own_peer_cond not_full;
	alignas(OWN_APART) long used;
	long capacity;
	bool released;
};

static void setup_queue(struct own_run *run)
{
	struct queue *queue = own_allocate(1, sizeof(*queue));

	if (run->arguments[0] < 1 || run->arguments[1] < 1 || run->arguments[2] < 1)
		own_fail("queue: P, C and CAPACITY are at least 1");
	run->thread_count = (unsigned)(run->arguments[0] + run->arguments[1]);
	queue->capacity = run->arguments[2];
	queue->released = run->arguments[3] != 0;
	own_peer_mutex_init(&queue->mutex);
	own_peer_cond_init(&queue->not_empty);
	own_peer_cond_init(&queue->not_full);
	run->state = queue;
}

static bool queue_move(struct own_run *run, struct own_thread *self, bool put)
{
	struct queue *queue = run->state;
	struct own_peer_cond *mine = put ? &queue->not_full : &queue->not_empty;
	struct own_peer_cond *theirs = put ? &queue->not_empty : &queue->not_full;
	const long blocked_at = put ? queue->capacity : 0;
	uint64_t started = own_sample_begin(self);

	own_peer_lock(&queue->mutex);
	while (queue->used == blocked_at && !own_stopping(run))
		own_peer_wait(mine, &queue->mutex);
	own_sample_end(self, started);
	if (queue->used == blocked_at) {
		own_peer_unlock(&queue->mutex);
		return false;
	}
	queue->used += put ? 1 : -1;
	if (queue->released) {
		own_peer_unlock(&queue->mutex);
		own_peer_signal(theirs);
	} else {
		own_peer_signal(theirs);
		own_peer_unlock(&queue->mutex);
	}
	return true;
}

/* Producers and consumers take turns in the numbering, so that pinning mixes them on each CPU. */
static bool is_producer(const struct own_run *run, unsigned index)
{
	unsigned producers = (unsigned)run->arguments[0];
	unsigned consumers = (unsigned)run->arguments[1];
	unsigned pairs = producers < consumers ? producers : consumers;

	if (index < 2 * pairs)
		return (index / 2 + index) % 2 == 0;
	return producers > consumers;
}

static void thread_queue(struct own_run *run, struct own_thread *self)
{
	const bool put = is_producer(run, self->index);

	while (!own_stopping(run)) {
		if (queue_move(run, self, put))
			own_count(self, 1);
	}
}

static void wake_queue(struct own_run *run)
{
	struct queue *queue = run->state;

	own_peer_lock(&queue->mutex);
	own_peer_broadcast(&queue->not_empty);
	own_peer_broadcast(&queue->not_full);
	own_peer_unlock(&queue->mutex);
}

static void teardown_queue(struct own_run *run)
{
	struct queue *queue = run->state;

	own_peer_cond_destroy(&queue->not_empty);
	own_peer_cond_destroy(&queue->not_full);
	own_peer_mutex_destroy(&queue->mutex);
	free(queue);
}

const struct own_workload own_workload_queue = {
    .name = "queue",
    .usage = "P C [CAPACITY [RELEASED]]",
    .help = "bounded queue, P producers, C consumers; RELEASED 1: signal after the unlock",
    .required = 2,
    .arguments = 4,
    .defaults = {0, 0, 64, 0},
    .setup = setup_queue,
    .thread = thread_queue,
    .wake = wake_queue,
    .teardown = teardown_queue,
};

struct barrier {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	alignas(OWN_APART) struct own_peer_cond cond;
	alignas(OWN_APART) unsigned arrived;
	unsigned generation;
};

static void setup_barrier(struct own_run *run)
{
	struct barrier *barrier = own_allocate(1, sizeof(*barrier));

	run->thread_count = (unsigned)run->arguments[0];
	own_peer_mutex_init(&barrier->mutex);
	own_peer_cond_init(&barrier->cond);
	run->state = barrier;
}

static void thread_barrier(struct own_run *run, struct own_thread *self)
{
	struct barrier *barrier = run->state;

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);
		unsigned generation;

		own_peer_lock(&barrier->mutex);
		generation = barrier->generation;
		if (++barrier->arrived == run->thread_count) {
			barrier->arrived = 0;
			barrier->generation++;
			own_peer_broadcast(&barrier->cond);
		}
		while (barrier->generation == generation && !own_stopping(run))
			own_peer_wait(&barrier->cond, &barrier->mutex);
		own_peer_unlock(&barrier->mutex);
		own_sample_end(self, started);
		own_count(self, 1);
	}
}

static void wake_barrier(struct own_run *run)
{
	struct barrier *barrier = run->state;

	own_peer_lock(&barrier->mutex);
	own_peer_broadcast(&barrier->cond);
	own_peer_unlock(&barrier->mutex);
}

static void teardown_barrier(struct own_run *run)
{
	struct barrier *barrier = run->state;

	own_peer_cond_destroy(&barrier->cond);
	own_peer_mutex_destroy(&barrier->mutex);
	free(barrier);
}

const struct own_workload own_workload_barrier = {
    .name = "barrier",
    .usage = "N",
    .help = "N threads meet again and again, released by broadcast; counts each passage",
    .required = 1,
    .arguments = 1,
    .setup = setup_barrier,
    .thread = thread_barrier,
    .wake = wake_barrier,
    .teardown = teardown_barrier,
};
