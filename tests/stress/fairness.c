/*
 * 64 threads on one mutex: each of them gets on. The ratio of the slowest to the fastest is
 * printed, not judged: a figure is the business of a benchmark.
 *
 * A round is a lock operation. The run goes on past its bound until each thread has had one turn
 * after the others had theirs; the watchdog ends it if one never has.
 */
#include "stress.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64 };

struct worker {
	pthread_t thread;
	_Alignas(STRESS_LINE) _Atomic uint64_t turns;
	uint64_t longest_ns;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stress_line line;
static unsigned threads;
static uint64_t total; /* guarded by the mutex */
static _Atomic bool over;

static void *work(void *argument)
{
	struct worker *worker = argument;

	stress_line_up(&line, threads);
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		uint64_t before = stress_now(CLOCK_MONOTONIC);
		STRESS_OK(pthread_mutex_lock(&mutex));
		uint64_t waited = stress_now(CLOCK_MONOTONIC) - before;
		total++;
		stress_work(50);
		STRESS_OK(pthread_mutex_unlock(&mutex));
		if (waited > worker->longest_ns)
			worker->longest_ns = waited;
		atomic_fetch_add_explicit(&worker->turns, 1, memory_order_relaxed);
		stress_work(100);
	}
	return NULL;
}

/* Waits until every thread has had `more` turns after now. */
static void wait_for_all(const struct worker *workers, uint64_t more)
{
	uint64_t *goals = calloc(threads, sizeof(*goals));

	for (unsigned i = 0; i < threads; i++)
		goals[i] = atomic_load(&workers[i].turns) + more;
	for (unsigned i = 0; i < threads;) {
		if (atomic_load(&workers[i].turns) >= goals[i]) {
			stress_alive();
			i++;
			continue;
		}
		stress_sleep_ns(1000000);
	}
	free(goals);
}

int main(int argc, char **argv)
{
	uint64_t slowest = UINT64_MAX, fastest = 0, longest = 0, sum = 0, seen = 0;
	char detail[128];

	stress_begin(argc, argv, "fairness", "Many threads on one mutex: each of them gets on.");
	threads = stress.threads != 0 ? stress.threads : THREADS;
	struct worker *workers = aligned_alloc(STRESS_LINE, threads * sizeof(*workers));
	for (unsigned i = 0; i < threads; i++) {
		workers[i].longest_ns = 0;
		atomic_init(&workers[i].turns, 0);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	while (stress_running()) {
		stress_sleep_ns(10000000);
		sum = 0;
		for (unsigned i = 0; i < threads; i++)
			sum += atomic_load(&workers[i].turns);
		stress_round(sum - seen);
		seen = sum;
	}
	for (unsigned i = 0; i < threads; i++) {
		uint64_t turns = atomic_load(&workers[i].turns);
		slowest = turns < slowest ? turns : slowest;
		fastest = turns > fastest ? turns : fastest;
	}
	wait_for_all(workers, 1);
	atomic_store(&over, true);
	sum = 0;
	for (unsigned i = 0; i < threads; i++) {
		STRESS_OK(pthread_join(workers[i].thread, NULL));
		sum += atomic_load(&workers[i].turns);
		if (workers[i].longest_ns > longest)
			longest = workers[i].longest_ns;
	}
	STRESS_CHECK(sum == total);
	free(workers);
	snprintf(detail, sizeof(detail), "slowest/fastest thread %.3f, longest wait %.3f ms",
		 (double)slowest / (double)(fastest != 0 ? fastest : 1), (double)longest / 1e6);
	stress_end(detail);
}
