#include "workloads/engine.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/pin.h"

#define STACK_BYTES   (256 * 1024)
#define GATE_STEP_NS  50000
#define WAKE_STEP_NS  1000000
#define MAX_THREADS   20000
#define MAX_PROCESSES 100

static struct own_run *alone_run;

static void sleep_ns(long ns)
{
	struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (nanosleep(&time, &time) != 0) {
	}
}

static void pin_thread(unsigned index)
{
	static cpu_set_t allowed;
	static bool known;

	if (!known) {
		if (sched_getaffinity(0, sizeof(allowed), &allowed))
			own_fail("cannot read the CPU affinity mask; use --no-pin");
		known = true;
	}
	own_pin(&allowed, index);
}

/* Asleep in the kernel, since a thousand threads that poll would never let the last one start. */
static void gate_wait(struct own_gate *gate)
{
	while (!atomic_load(&gate->go))
		syscall(SYS_futex, &gate->go, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void gate_open(struct own_gate *gate)
{
	atomic_store(&gate->go, 1);
	syscall(SYS_futex, &gate->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void *thread_main(void *argument)
{
	struct own_thread *self = argument;
	struct own_run *run = self->run;

	if (run->options.pin)
		pin_thread(self->index);
	atomic_fetch_add(&run->gate->ready, 1);
	gate_wait(run->gate);
	run->workload->thread(run, self);
	atomic_fetch_add(&run->gate->finished, 1);
	return NULL;
}

static void prepare_thread(struct own_run *run, unsigned index)
{
	struct own_thread *self = &run->threads[index];
	unsigned sample = run->options.sample;

	self->index = index;
	self->run = run;
	self->random = 0x9e3779b97f4a7c15U * (index + 1);
	/* Threads start at different points, so that they do not sample at the same moments. */
	self->until_sample = sample ? 1 + index * 7 % sample : UINT64_MAX;
	if (sample)
		self->latency = own_allocate_shared(1, sizeof(*self->latency));
}

void own_sample_record(struct own_thread *self, uint64_t started_ns)
{
	self->until_sample = self->run->options.sample;
	own_latency_add(self->latency, own_now_ns() - started_ns);
}

static void start_threads(struct own_run *run)
{
	pthread_attr_t attribute;

	pthread_attr_init(&attribute);
	pthread_attr_setstacksize(&attribute, STACK_BYTES);
	for (unsigned i = 0; i < run->thread_count; i++) {
		struct own_thread *thread = &run->threads[run->first + i];
		int error = pthread_create(&thread->handle, &attribute, thread_main, thread);

		if (error)
			own_fail("cannot create thread %u: %s; use fewer threads", i + 1,
				 strerror(error));
	}
	pthread_attr_destroy(&attribute);
}

static void join_threads(struct own_run *run)
{
	for (unsigned i = 0; i < run->thread_count; i++)
		pthread_join(run->threads[run->first + i].handle, NULL);
}

static double cpu_seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void summarise(struct own_run *run, struct own_result *result)
{
	double sum = 0, squares = 0, least = 0, most = 0;

	for (unsigned i = 0; i < result->threads; i++) {
		double count = (double)atomic_load(&run->threads[i].operations);

		if (i == 0 || count < least)
			least = count;
		if (count > most)
			most = count;
		sum += count;
		squares += count * count;
	}
	result->operations = sum;
	result->slowest_to_fastest = most > 0 ? least / most : 0;
	result->jain = squares > 0 ? sum * sum / (result->threads * squares) : 0;
}

/* What a process used between the gate's opening and the end. */
struct usage {
	struct rusage before;
	double cpu_seconds;
	long voluntary_switches;
	long involuntary_switches;
};

static void usage_begin(struct usage *usage)
{
	getrusage(RUSAGE_SELF, &usage->before);
}

static void usage_end(struct usage *usage)
{
	struct rusage after;

	getrusage(RUSAGE_SELF, &after);
	usage->cpu_seconds = cpu_seconds(&after) - cpu_seconds(&usage->before);
	usage->voluntary_switches = after.ru_nvcsw - usage->before.ru_nvcsw;
	usage->involuntary_switches = after.ru_nivcsw - usage->before.ru_nivcsw;
}

static void usage_add(struct own_result *result, const struct usage *usage)
{
	result->cpu_seconds += usage->cpu_seconds;
	result->voluntary_switches += usage->voluntary_switches;
	result->involuntary_switches += usage->involuntary_switches;
}

/*
 * Among thousands of runnable threads the clock's thread would wake seconds late. Needs a
 * privilege; without it such runs are longer than asked for, and their rates still right.
 */
static void be_punctual(bool punctual)
{
	struct sched_param parameter = {.sched_priority = punctual ? 1 : 0};

	pthread_setschedparam(pthread_self(), punctual ? SCHED_FIFO : SCHED_OTHER, &parameter);
}

static void leave(struct own_run *run, unsigned all_threads)
{
	while (atomic_load(&run->gate->finished) != all_threads) {
		if (run->workload->wake)
			run->workload->wake(run);
		sleep_ns(WAKE_STEP_NS);
	}
	join_threads(run);
}

static void child_main(struct own_run *run, struct usage *usage, unsigned all_threads)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run->workload->setup(run);
	start_threads(run);
	be_punctual(true);
	gate_wait(run->gate);
	usage_begin(usage);
	while (!own_stopping(run))
		sleep_ns(WAKE_STEP_NS);
	usage_end(usage);
	be_punctual(false);
	leave(run, all_threads);
	_exit(0);
}

static void fork_children(struct own_run *run, struct usage *usages, unsigned processes)
{
	for (unsigned i = 1; i < processes; i++) {
		pid_t child = fork();

		if (child < 0)
			own_fail("cannot fork process %u: %s; use fewer", i + 1, strerror(errno));
		if (child == 0) {
			run->first = i * run->thread_count;
			child_main(run, &usages[i], processes * run->thread_count);
		}
	}
}

static void run_threads(struct own_run *run, struct own_result *result, struct usage *usages,
			unsigned processes)
{
	uint64_t started;

	start_threads(run);
	while (atomic_load(&run->gate->ready) != result->threads)
		sleep_ns(GATE_STEP_NS);
	be_punctual(true);
	usage_begin(&usages[0]);
	own_futex_counts_reset();
	started = own_now_ns();
	gate_open(run->gate);
	sleep_ns((long)(run->options.seconds * 1e9));
	/* The counts are taken before the end is announced: leaving may take long. */
	summarise(run, result);
	result->seconds = (double)(own_now_ns() - started) / 1e9;
	usage_end(&usages[0]);
	own_futex_counts_read(&result->futex);
	atomic_store(&run->gate->stop, true);
	be_punctual(false);
	leave(run, result->threads);
	for (unsigned i = 1; i < processes; i++)
		wait(NULL);
}

static void time_is_over(int signal)
{
	(void)signal;
	atomic_store(&alone_run->gate->stop, true);
}

/* A timer signal ends the run: a second thread would make the process multi-threaded. */
static void run_alone(struct own_run *run, struct own_result *result, struct usage *usage)
{
	struct sigaction action = {.sa_handler = time_is_over, .sa_flags = SA_RESTART};
	struct itimerval timer = {0};
	uint64_t started;

	if (run->options.pin)
		pin_thread(0);
	alone_run = run;
	sigaction(SIGALRM, &action, NULL);
	timer.it_value.tv_sec = (time_t)run->options.seconds;
	timer.it_value.tv_usec =
	    (suseconds_t)((run->options.seconds - (double)timer.it_value.tv_sec) * 1e6);
	usage_begin(usage);
	own_futex_counts_reset();
	setitimer(ITIMER_REAL, &timer, NULL);
	started = own_now_ns();
	run->workload->thread(run, &run->threads[0]);
	result->seconds = (double)(own_now_ns() - started) / 1e9;
	summarise(run, result);
	usage_end(usage);
	own_futex_counts_read(&result->futex);
}

void own_engine_run(struct own_run *run, struct own_result *result)
{
	unsigned processes = run->workload->processes ? run->workload->processes(run) : 1;
	struct usage *usages;

	if (processes < 1 || processes > MAX_PROCESSES)
		own_fail("%s: from 1 to %d processes, not %u", run->workload->name, MAX_PROCESSES,
			 processes);
	if (run->options.futex_counts)
		own_futex_counts_open();
	run->gate = own_allocate_shared(1, sizeof(*run->gate));
	run->workload->setup(run);
	if (run->skipped)
		return;
	if (run->thread_count < 1 || run->thread_count > MAX_THREADS)
		own_fail("%s: from 1 to %d threads, not %u", run->workload->name, MAX_THREADS,
			 run->thread_count);
	result->threads = processes * run->thread_count;
	run->threads = own_allocate_shared(result->threads, sizeof(struct own_thread));
	usages = own_allocate_shared(processes, sizeof(*usages));
	for (unsigned i = 0; i < result->threads; i++)
		prepare_thread(run, i);
	fork_children(run, usages, processes);
	if (run->workload->alone)
		run_alone(run, result, usages);
	else
		run_threads(run, result, usages, processes);
	for (unsigned i = 0; i < processes; i++)
		usage_add(result, &usages[i]);
	for (unsigned i = 0; run->options.sample && i < result->threads; i++)
		own_latency_merge(&result->latency, run->threads[i].latency);
	if (run->workload->teardown)
		run->workload->teardown(run);
}
