#include "workloads/engine.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#define STACK_BYTES (256 * 1024)
#define GATE_STEP_NS 50000
#define WAKE_STEP_NS 1000000
#define MAX_THREADS  20000

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
	cpu_set_t one;
	int wanted;

	if (!known) {
		if (sched_getaffinity(0, sizeof(allowed), &allowed))
			own_fail("cannot read the CPU affinity mask; use --no-pin");
		known = true;
	}
	wanted = (int)(index % (unsigned)CPU_COUNT(&allowed));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || wanted-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *thread_main(void *argument)
{
	struct own_thread *self = argument;
	struct own_run *run = self->run;

	if (run->options.pin)
		pin_thread(self->index);
	atomic_fetch_add(&run->ready, 1);
	while (!atomic_load(&run->go))
		sleep_ns(GATE_STEP_NS);
	run->workload->thread(run, self);
	atomic_fetch_add(&run->finished, 1);
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
		self->latency = own_allocate(1, sizeof(*self->latency));
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
		int error = pthread_create(&run->threads[i].handle, &attribute, thread_main,
					   &run->threads[i]);

		if (error)
			own_fail("cannot create thread %u: %s; use fewer threads", i + 1,
				 strerror(error));
	}
	pthread_attr_destroy(&attribute);
	while (atomic_load(&run->ready) != run->thread_count)
		sleep_ns(GATE_STEP_NS);
}

static double cpu_seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void summarise(struct own_run *run, struct own_result *result)
{
	double sum = 0, squares = 0, least = 0, most = 0;

	for (unsigned i = 0; i < run->thread_count; i++) {
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
	result->jain = squares > 0 ? sum * sum / (run->thread_count * squares) : 0;
}

static void subtract_usage(struct own_result *result, const struct rusage *before)
{
	struct rusage after;

	getrusage(RUSAGE_SELF, &after);
	result->cpu_seconds = cpu_seconds(&after) - cpu_seconds(before);
	result->voluntary_switches = after.ru_nvcsw - before->ru_nvcsw;
	result->involuntary_switches = after.ru_nivcsw - before->ru_nivcsw;
}

static void run_threads(struct own_run *run, struct own_result *result)
{
	struct rusage before;
	uint64_t started;

	start_threads(run);
	getrusage(RUSAGE_SELF, &before);
	own_futex_counts_reset();
	started = own_now_ns();
	atomic_store(&run->go, true);
	sleep_ns((long)(run->options.seconds * 1e9));
	/* The counts are taken before the end is announced: leaving may take long. */
	summarise(run, result);
	result->seconds = (double)(own_now_ns() - started) / 1e9;
	subtract_usage(result, &before);
	own_futex_counts_read(&result->futex);
	atomic_store(&run->stop, true);
	while (atomic_load(&run->finished) != run->thread_count) {
		if (run->workload->wake)
			run->workload->wake(run);
		sleep_ns(WAKE_STEP_NS);
	}
	for (unsigned i = 0; i < run->thread_count; i++)
		pthread_join(run->threads[i].handle, NULL);
}

static void time_is_over(int signal)
{
	(void)signal;
	atomic_store(&alone_run->stop, true);
}

/* A timer signal ends the run: a second thread would make the process multi-threaded. */
static void run_alone(struct own_run *run, struct own_result *result)
{
	struct sigaction action = {.sa_handler = time_is_over, .sa_flags = SA_RESTART};
	struct itimerval timer = {0};
	struct rusage before;
	uint64_t started;

	if (run->options.pin)
		pin_thread(0);
	alone_run = run;
	sigaction(SIGALRM, &action, NULL);
	timer.it_value.tv_sec = (time_t)run->options.seconds;
	timer.it_value.tv_usec =
		(suseconds_t)((run->options.seconds - (double)timer.it_value.tv_sec) * 1e6);
	getrusage(RUSAGE_SELF, &before);
	own_futex_counts_reset();
	setitimer(ITIMER_REAL, &timer, NULL);
	started = own_now_ns();
	run->workload->thread(run, &run->threads[0]);
	result->seconds = (double)(own_now_ns() - started) / 1e9;
	summarise(run, result);
	subtract_usage(result, &before);
	own_futex_counts_read(&result->futex);
}

void own_engine_run(struct own_run *run, struct own_result *result)
{
	if (run->options.futex_counts)
		own_futex_counts_open();
	run->workload->setup(run);
	if (run->skipped)
		return;
	if (run->thread_count < 1 || run->thread_count > MAX_THREADS)
		own_fail("%s: from 1 to %d threads, not %u", run->workload->name, MAX_THREADS,
			 run->thread_count);
	run->threads = own_allocate(run->thread_count, sizeof(struct own_thread));
	for (unsigned i = 0; i < run->thread_count; i++)
		prepare_thread(run, i);
	if (run->workload->alone)
		run_alone(run, result);
	else
		run_threads(run, result);
	for (unsigned i = 0; run->options.sample && i < run->thread_count; i++) {
		own_latency_merge(&result->latency, run->threads[i].latency);
		free(run->threads[i].latency);
	}
	if (run->workload->teardown)
		run->workload->teardown(run);
	free(run->threads);
}
