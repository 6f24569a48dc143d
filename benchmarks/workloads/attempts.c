/* Locks that give up: at once, or at a deadline. Only acquisitions count as operations. */
#include "workloads/catalogue.h"
#include "workloads/hot.h"

static void thread_trylock(struct own_run *run, struct own_thread *self)
{
	struct own_hot *hot = run->state;

	while (!own_stopping(run)) {
		if (own_peer_trylock(&hot->mutex)) {
			own_work(run->arguments[1]);
			own_peer_unlock(&hot->mutex);
			own_count(self, 1);
		}
		own_work(run->arguments[2]);
	}
}

const struct own_workload own_workload_trylock = {
    .name = "trylock",
    .usage = "N CS NCS",
    .help = "N threads try one mutex, and work outside whether they got it or not",
    .required = 3,
    .arguments = 3,
    .setup = own_hot_setup,
    .thread = thread_trylock,
    .teardown = own_hot_teardown,
};

static void after_us(struct timespec *deadline, long microseconds)
{
	clock_gettime(CLOCK_REALTIME, deadline);
	deadline->tv_nsec += microseconds * 1000;
	deadline->tv_sec += deadline->tv_nsec / 1000000000;
	deadline->tv_nsec %= 1000000000;
}

static void setup_timedlock(struct own_run *run)
{
	struct own_hot *hot;
	struct timespec past = {0};

	own_hot_setup(run);
	hot = run->state;
	run->skipped = own_peer_timedlock(&hot->mutex, &past) == ENOTSUP;
	if (!run->skipped)
		own_peer_unlock(&hot->mutex);
}

static void thread_timedlock(struct own_run *run, struct own_thread *self)
{
	struct own_hot *hot = run->state;

	while (!own_stopping(run)) {
		struct timespec deadline;
		uint64_t started = own_sample_begin(self);

		after_us(&deadline, run->arguments[3]);
		if (own_peer_timedlock(&hot->mutex, &deadline) == 0) {
			own_sample_end(self, started);
			own_work(run->arguments[1]);
			own_peer_unlock(&hot->mutex);
			own_count(self, 1);
		} else {
			own_sample_end(self, started);
		}
		own_work(run->arguments[2]);
	}
}

const struct own_workload own_workload_timedlock = {
    .name = "timedlock",
    .usage = "N CS NCS [MICROSECONDS]",
    .help = "as mutex, with locks that give up after MICROSECONDS",
    .required = 3,
    .arguments = 4,
    .defaults = {0, 0, 0, 100},
    .setup = setup_timedlock,
    .thread = thread_timedlock,
    .teardown = own_hot_teardown,
};
