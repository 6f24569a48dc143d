/* A thundering broadcast: one thread wakes N at once, and waits until all have answered. */
#include <stdlib.h>

#include "workloads/catalogue.h"

struct crowd {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	alignas(OWN_APART) struct own_peer_cond start;
	alignas(OWN_APART) struct own_peer_cond answered;
	alignas(OWN_APART) uint64_t generation;
	unsigned answers;
};

static void setup_broadcast(struct own_run *run)
{
	struct crowd *crowd = own_allocate(1, sizeof(*crowd));

	run->thread_count = (unsigned)run->arguments[0] + 1;
	own_peer_mutex_init(&crowd->mutex);
	own_peer_cond_init(&crowd->start);
	own_peer_cond_init(&crowd->answered);
	run->state = crowd;
}

static void lead(struct own_run *run, struct own_thread *self)
{
	struct crowd *crowd = run->state;

	own_peer_lock(&crowd->mutex);
	while (!own_stopping(run)) {
		crowd->answers = 0;
		crowd->generation++;
		own_peer_broadcast(&crowd->start);
		while (crowd->answers < run->thread_count - 1 && !own_stopping(run))
			own_peer_wait(&crowd->answered, &crowd->mutex);
		/* Counted like the others, so that the leader does not spoil the fairness. */
		own_count(self, 1);
	}
	own_peer_unlock(&crowd->mutex);
}

static void thread_broadcast(struct own_run *run, struct own_thread *self)
{
	struct crowd *crowd = run->state;
	uint64_t seen = 0;

	if (self->index == 0) {
		lead(run, self);
		return;
	}
	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		own_peer_lock(&crowd->mutex);
		while (crowd->generation == seen && !own_stopping(run))
			own_peer_wait(&crowd->start, &crowd->mutex);
		seen = crowd->generation;
		if (++crowd->answers == run->thread_count - 1)
			own_peer_signal(&crowd->answered);
		own_peer_unlock(&crowd->mutex);
		own_sample_end(self, started);
		own_count(self, 1);
	}
}

static void wake_broadcast(struct own_run *run)
{
	struct crowd *crowd = run->state;

	own_peer_lock(&crowd->mutex);
	own_peer_broadcast(&crowd->start);
	own_peer_broadcast(&crowd->answered);
	own_peer_unlock(&crowd->mutex);
}

static void teardown_broadcast(struct own_run *run)
{
	struct crowd *crowd = run->state;

	own_peer_cond_destroy(&crowd->start);
	own_peer_cond_destroy(&crowd->answered);
	own_peer_mutex_destroy(&crowd->mutex);
	free(crowd);
}

const struct own_workload own_workload_broadcast = {
    .name = "broadcast",
    .usage = "[N]",
    .help = "one thread wakes N waiters by broadcast and waits for all; counts each passage",
    .arguments = 1,
    .defaults = {1000},
    .setup = setup_broadcast,
    .thread = thread_broadcast,
    .wake = wake_broadcast,
    .teardown = teardown_broadcast,
};
