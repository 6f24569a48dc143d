/* One hot mutex whose sections, or whose surroundings, are not all alike. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/catalogue.h"
#include "workloads/hot.h"

static void sleep_us(long microseconds)
{
	struct timespec time = {.tv_sec = microseconds / 1000000,
				.tv_nsec = microseconds % 1000000 * 1000};

	nanosleep(&time, NULL);
}

static void locked_work(struct own_hot *hot, struct own_thread *self, long inside)
{
	uint64_t started = own_sample_begin(self);

	own_peer_lock(&hot->mutex);
	own_sample_end(self, started);
	own_work(inside);
	own_peer_unlock(&hot->mutex);
	own_count(self, 1);
}

static void thread_mixed(struct own_run *run, struct own_thread *self)
{
	while (!own_stopping(run)) {
		uint64_t dice = own_random(self) % 1000;
		long inside = dice < 900 ? 50 : dice < 995 ? 1000 : 50000;

		locked_work(run->state, self, inside);
		own_work(run->arguments[1]);
	}
}

const struct own_workload own_workload_mixed = {
    .name = "mixed",
    .usage = "N [NCS]",
    .help = "sections of 50 iterations (90 %), 1000 (9.5 %) and 50 000 (0.5 %)",
    .required = 1,
    .arguments = 2,
    .defaults = {0, 500},
    .setup = own_hot_setup,
    .thread = thread_mixed,
    .teardown = own_hot_teardown,
};

static void thread_bursty(struct own_run *run, struct own_thread *self)
{
	while (!own_stopping(run)) {
		for (long i = 0; i < run->arguments[1] && !own_stopping(run); i++)
			locked_work(run->state, self, 50);
		sleep_us(run->arguments[2]);
	}
}

const struct own_workload own_workload_bursty = {
    .name = "bursty",
    .usage = "N [BURST [MICROSECONDS]]",
    .help = "each thread makes BURST operations on end, then sleeps for MICROSECONDS",
    .required = 1,
    .arguments = 3,
    .defaults = {0, 1000, 200},
    .setup = own_hot_setup,
    .thread = thread_bursty,
    .teardown = own_hot_teardown,
};

static void read_table(struct own_hot *hot, struct own_thread *self)
{
	uint64_t sum = 0;
	uint64_t started = own_sample_begin(self);

	own_peer_lock(&hot->mutex);
	own_sample_end(self, started);
	for (unsigned i = 0; i < 64; i++)
		sum += ((volatile uint64_t *)hot->table)[i];
	own_peer_unlock(&hot->mutex);
	own_count(self, 1);
	(void)sum;
}

static void write_table(struct own_hot *hot, struct own_thread *self)
{
	uint64_t started = own_sample_begin(self);

	own_peer_lock(&hot->mutex);
	own_sample_end(self, started);
	for (unsigned i = 0; i < 64; i++)
		((volatile uint64_t *)hot->table)[i]++;
	own_peer_unlock(&hot->mutex);
	own_count(self, 1);
}

static void thread_readers(struct own_run *run, struct own_thread *self)
{
	while (!own_stopping(run)) {
		if (own_random(self) % 100 < (uint64_t)run->arguments[1])
			write_table(run->state, self);
		else
			read_table(run->state, self);
		own_work(run->arguments[2]);
	}
}

const struct own_workload own_workload_readers = {
    .name = "readers",
    .usage = "N [WRITES [NCS]]",
    .help = "reads of eight cachelines behind the mutex; WRITES per cent change them",
    .required = 1,
    .arguments = 3,
    .defaults = {0, 5, 200},
    .setup = own_hot_setup,
    .thread = thread_readers,
    .teardown = own_hot_teardown,
};

static void thread_sleeping(struct own_run *run, struct own_thread *self)
{
	struct own_hot *hot = run->state;
	const uint64_t every = run->arguments[1] > 0 ? (uint64_t)run->arguments[1] : 1;

	while (!own_stopping(run)) {
		bool sleeps = own_random(self) % every == 0;
		uint64_t started = own_sample_begin(self);

		own_peer_lock(&hot->mutex);
		own_sample_end(self, started);
		own_work(50);
		if (sleeps)
			sleep_us(run->arguments[2]);
		own_peer_unlock(&hot->mutex);
		own_work(100);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_sleeping = {
    .name = "sleeping",
    .usage = "N [EVERY [MICROSECONDS]]",
    .help = "one section of EVERY sleeps for MICROSECONDS, as an owner does that waits for I/O",
    .required = 1,
    .arguments = 3,
    .defaults = {0, 1000, 100},
    .setup = own_hot_setup,
    .thread = thread_sleeping,
    .teardown = own_hot_teardown,
};

#define MAX_BURNERS 64
static pid_t burners[MAX_BURNERS];

static void setup_oversubscribed(struct own_run *run)
{
	if (run->arguments[1] > MAX_BURNERS)
		own_fail("oversubscribed: at most %d burning processes", MAX_BURNERS);
	own_hot_setup(run);
	for (long i = 0; i < run->arguments[1]; i++) {
		burners[i] = fork();
		if (burners[i] < 0)
			own_fail("cannot fork a burning process");
		if (burners[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				own_work(1000000);
		}
	}
}

static void thread_oversubscribed(struct own_run *run, struct own_thread *self)
{
	while (!own_stopping(run)) {
		locked_work(run->state, self, run->arguments[2]);
		own_work(run->arguments[3]);
	}
}

static void teardown_oversubscribed(struct own_run *run)
{
	for (long i = 0; i < run->arguments[1]; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
	own_hot_teardown(run);
}

const struct own_workload own_workload_oversubscribed = {
    .name = "oversubscribed",
    .usage = "N [BURNERS [CS NCS]]",
    .help = "as mutex, while BURNERS other processes keep the CPUs busy (their time not counted)",
    .required = 1,
    .arguments = 4,
    .defaults = {0, 4, 50, 100},
    .setup = setup_oversubscribed,
    .thread = thread_oversubscribed,
    .teardown = teardown_oversubscribed,
};
