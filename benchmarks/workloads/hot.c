/* One hot mutex, and what surrounds it: uncontended, packed, striped, cold. */
#include <stdlib.h>

#include "workloads/catalogue.h"
#include "workloads/hot.h"

struct lone_mutex {
	alignas(OWN_APART) struct own_peer_mutex mutex;
};

void own_hot_setup(struct own_run *run)
{
	struct own_hot *hot = own_allocate(1, sizeof(*hot));

	own_peer_mutex_init(&hot->mutex);
	run->state = hot;
	run->thread_count = (unsigned)run->arguments[0];
}

void own_hot_teardown(struct own_run *run)
{
	struct own_hot *hot = run->state;

	own_peer_mutex_destroy(&hot->mutex);
	free(hot);
}

void own_hot_thread(struct own_run *run, struct own_thread *self)
{
	struct own_hot *hot = run->state;
	const long inside = run->arguments[1];
	const long outside = run->arguments[2];

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		own_peer_lock(&hot->mutex);
		own_sample_end(self, started);
		own_work(inside);
		own_peer_unlock(&hot->mutex);
		own_work(outside);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_mutex = {
    .name = "mutex",
    .usage = "N CS NCS",
    .help = "N threads, one mutex, CS and NCS iterations of an empty loop inside and outside",
    .required = 3,
    .arguments = 3,
    .setup = own_hot_setup,
    .thread = own_hot_thread,
    .teardown = own_hot_teardown,
};

static void setup_fairness(struct own_run *run)
{
	run->options.seconds = (double)run->arguments[1];
	run->arguments[1] = run->arguments[2];
	run->arguments[2] = run->arguments[3];
	own_hot_setup(run);
}

const struct own_workload own_workload_fairness = {
    .name = "fairness",
    .usage = "N SECONDS [CS NCS]",
    .help = "as mutex, for so many seconds: look at slowest/fastest and the longest wait",
    .required = 2,
    .arguments = 4,
    .defaults = {0, 0, 50, 100},
    .setup = setup_fairness,
    .thread = own_hot_thread,
    .teardown = own_hot_teardown,
};

static void setup_uncontended(struct own_run *run)
{
	own_hot_setup(run);
	run->thread_count = 1;
}

#define BATCH 1000

static void thread_uncontended(struct own_run *run, struct own_thread *self)
{
	struct own_hot *hot = run->state;

	while (!own_stopping(run)) {
		for (int i = 0; i < BATCH; i++) {
			own_peer_lock(&hot->mutex);
			own_peer_unlock(&hot->mutex);
		}
		own_count(self, BATCH);
	}
}

const struct own_workload own_workload_uncontended = {
    .name = "uncontended",
    .usage = "",
    .help = "lock and unlock in a process that never had a second thread",
    .alone = true,
    .setup = setup_uncontended,
    .thread = thread_uncontended,
    .teardown = own_hot_teardown,
};

static void *sleep_for_ever(void *unused)
{
	struct timespec long_time = {.tv_sec = 1000};

	(void)unused;
	for (;;)
		nanosleep(&long_time, NULL);
	return NULL;
}

static void setup_uncontended_second(struct own_run *run)
{
	pthread_t second;

	setup_uncontended(run);
	if (pthread_create(&second, NULL, sleep_for_ever, NULL))
		own_fail("cannot create a second thread");
}

const struct own_workload own_workload_uncontended_second = {
    .name = "uncontended-mt",
    .usage = "",
    .help = "lock and unlock while a second thread is alive and asleep",
    .alone = true,
    .setup = setup_uncontended_second,
    .thread = thread_uncontended,
    .teardown = own_hot_teardown,
};

/* Neighbours in memory, each used by one thread. */
static void setup_packed(struct own_run *run)
{
	struct own_peer_mutex *mutexes;

	run->thread_count = (unsigned)run->arguments[0];
	mutexes = own_allocate(run->thread_count, sizeof(*mutexes));
	for (unsigned i = 0; i < run->thread_count; i++)
		own_peer_mutex_init(&mutexes[i]);
	run->state = mutexes;
}

static void thread_packed(struct own_run *run, struct own_thread *self)
{
	struct own_peer_mutex *mine = (struct own_peer_mutex *)run->state + self->index;

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		own_peer_lock(mine);
		own_sample_end(self, started);
		own_peer_unlock(mine);
		own_count(self, 1);
	}
}

static void free_state(struct own_run *run)
{
	free(run->state);
}

const struct own_workload own_workload_packed = {
    .name = "packed",
    .usage = "N",
    .help = "an array of mutexes side by side, each locked by one thread only",
    .required = 1,
    .arguments = 1,
    .setup = setup_packed,
    .thread = thread_packed,
    .teardown = free_state,
};

static void setup_striped(struct own_run *run)
{
	struct lone_mutex *mutexes;

	if (run->arguments[1] < 1)
		own_fail("striped: LOCKS is at least 1");
	run->thread_count = (unsigned)run->arguments[0];
	mutexes = own_allocate((size_t)run->arguments[1], sizeof(*mutexes));
	for (long i = 0; i < run->arguments[1]; i++)
		own_peer_mutex_init(&mutexes[i].mutex);
	run->state = mutexes;
}

static void thread_striped(struct own_run *run, struct own_thread *self)
{
	struct lone_mutex *mutexes = run->state;
	const uint64_t locks = (uint64_t)run->arguments[1];

	while (!own_stopping(run)) {
		struct own_peer_mutex *mutex = &mutexes[own_random(self) % locks].mutex;
		uint64_t started = own_sample_begin(self);

		own_peer_lock(mutex);
		own_sample_end(self, started);
		own_work(run->arguments[2]);
		own_peer_unlock(mutex);
		own_work(run->arguments[3]);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_striped = {
    .name = "striped",
    .usage = "N LOCKS [CS NCS]",
    .help = "each operation takes one of LOCKS mutexes at random, each on lines of its own",
    .required = 2,
    .arguments = 4,
    .defaults = {0, 0, 50, 100},
    .setup = setup_striped,
    .thread = thread_striped,
    .teardown = free_state,
};

/* More mutexes than the caches hold, as an array of plain objects. */
static void setup_table(struct own_run *run)
{
	struct own_peer_mutex *mutexes;
	size_t count = (size_t)run->arguments[1];

	if (run->arguments[1] < 1)
		own_fail("%s: the table needs at least one mutex", run->workload->name);
	run->thread_count = (unsigned)run->arguments[0];
	mutexes = own_allocate(count, sizeof(*mutexes));
	for (size_t i = 0; i < count; i++)
		own_peer_mutex_init(&mutexes[i]);
	run->state = mutexes;
}

static void thread_random(struct own_run *run, struct own_thread *self)
{
	struct own_peer_mutex *mutexes = run->state;
	const uint64_t count = (uint64_t)run->arguments[1];

	while (!own_stopping(run)) {
		struct own_peer_mutex *mutex = &mutexes[own_random(self) % count];
		uint64_t started = own_sample_begin(self);

		own_peer_lock(mutex);
		own_sample_end(self, started);
		own_peer_unlock(mutex);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_random = {
    .name = "random",
    .usage = "N [LOCKS]",
    .help = "N threads lock mutexes of a large table at random",
    .required = 1,
    .arguments = 2,
    .defaults = {0, 1000000},
    .setup = setup_table,
    .thread = thread_random,
    .teardown = free_state,
};

static void setup_sweep(struct own_run *run)
{
	run->arguments[1] = run->arguments[0];
	run->arguments[0] = 1;
	setup_table(run);
}

/* A stride that shares no factor with the size visits each mutex once a round, never in order. */
static void thread_sweep(struct own_run *run, struct own_thread *self)
{
	struct own_peer_mutex *mutexes = run->state;
	const size_t count = (size_t)run->arguments[1];
	const size_t stride = 7919 % count ? 7919 : 1;
	size_t at = 0;

	while (!own_stopping(run)) {
		for (int i = 0; i < BATCH; i++) {
			own_peer_lock(&mutexes[at]);
			own_peer_unlock(&mutexes[at]);
			at += stride;
			at = at >= count ? at % count : at;
		}
		own_count(self, BATCH);
	}
}

const struct own_workload own_workload_sweep = {
    .name = "sweep",
    .usage = "[LOCKS]",
    .help = "one thread (beside a sleeping main thread) locks LOCKS cold mutexes in turn",
    .arguments = 1,
    .defaults = {300000},
    .setup = setup_sweep,
    .thread = thread_sweep,
    .teardown = free_state,
};
