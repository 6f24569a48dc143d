/*
 * Threads on all CPUs that wait on one word, or on a word each in the same bucket or not. A set
 * share of the waits mismatch; the others are queued and find their deadline passed.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "workloads/pin.h"

#define MAX_THREADS 4096
/* A word a page: words of one page may share a bucket, too, but never a line. */
#define PAGE 4096

struct waiter {
	alignas(128) uint64_t operations;
	uint64_t wrong;
	uint64_t random;
	unsigned mismatched; /* per cent */
	unsigned cpu;
	const cpu_set_t *allowed;
	atomic_uint *word;
	pthread_t handle;
};

static struct {
	alignas(128) pthread_barrier_t start;
	alignas(128) atomic_bool stop;
} run;

static bool next_mismatches(struct waiter *self)
{
	self->random = self->random * 6364136223846793005U + 1442695040888963407U;
	return (self->random >> 33) % 100 < self->mismatched;
}

static void *wait_again_and_again(void *argument)
{
	static const struct timespec past = {.tv_nsec = 1};
	struct waiter *self = argument;
	uint64_t operations = 0, wrong = 0;

	own_pin(self->allowed, self->cpu);
	pthread_barrier_wait(&run.start);
	while (!atomic_load_explicit(&run.stop, memory_order_relaxed)) {
		bool mismatches = next_mismatches(self);
		long result =
		    own_futex(self->word, FUTEX_WAIT_BITSET_PRIVATE, mismatches ? 1234 : 0, &past);

		wrong += result != -1 || errno != (mismatches ? EAGAIN : ETIMEDOUT);
		operations++;
	}
	self->operations = operations;
	self->wrong = wrong;
	return NULL;
}

static double wait_for(struct waiter *waiters, unsigned threads, double seconds)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};
	uint64_t started, ended;

	rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
	pthread_barrier_init(&run.start, NULL, threads + 1);
	for (unsigned i = 0; i < threads; i++) {
		if (pthread_create(&waiters[i].handle, NULL, wait_again_and_again, &waiters[i]))
			own_fault("cannot create thread %u; use fewer", i + 1);
	}
	pthread_barrier_wait(&run.start);
	started = own_now_ns();
	while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
	}
	atomic_store(&run.stop, true);
	ended = own_now_ns();
	for (unsigned i = 0; i < threads; i++)
		pthread_join(waiters[i].handle, NULL);
	return (double)(ended - started) / 1e9;
}

static struct waiter *make_waiters(unsigned threads, bool apart, unsigned mismatched)
{
	struct waiter *waiters = aligned_alloc(128, threads * sizeof(*waiters));
	char *words = aligned_alloc(PAGE, (size_t)threads * PAGE);
	static cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		own_fault("cannot read the CPU affinity mask: %s", strerror(errno));
	if (!waiters || !words)
		own_fault("no memory for %u threads", threads);
	memset(waiters, 0, threads * sizeof(*waiters));
	memset(words, 0, (size_t)threads * PAGE);
	for (unsigned i = 0; i < threads; i++) {
		waiters[i].cpu = i;
		waiters[i].allowed = &allowed;
		waiters[i].random = i;
		waiters[i].mismatched = mismatched;
		waiters[i].word = (atomic_uint *)(words + (apart ? (size_t)i * PAGE : 0));
	}
	return waiters;
}

void own_test_contend(const struct own_job *job)
{
	static const char *const keys[] = {"hash",  "threads", "mismatched",
					   "words", "seconds", NULL};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *words = own_job_text(job, "words", "same");
	struct own_hash hash = own_job_hash(job);
	unsigned threads, mismatched;
	uint64_t operations = 0, wrong = 0;
	struct waiter *waiters;
	double seconds;

	own_job_allow(job, keys);
	threads = (unsigned)own_job_number(job, "threads", (double)cpus, 1, MAX_THREADS);
	mismatched = (unsigned)own_job_number(job, "mismatched", 100, 0, 100);
	seconds = own_job_number(job, "seconds", 1, 0.01, 3600);
	if (strcmp(words, "same") != 0 && strcmp(words, "apart") != 0)
		own_usage("%s: words is same or apart, not '%s'", job->test, words);
	if (!own_enter_hash(&hash)) {
		printf("RESULT test=%s hash=%s skipped=no-private-hash\n", job->test, hash.text);
		return;
	}
	waiters = make_waiters(threads, strcmp(words, "apart") == 0, mismatched);
	seconds = wait_for(waiters, threads, seconds);
	for (unsigned i = 0; i < threads; i++) {
		operations += waiters[i].operations;
		wrong += waiters[i].wrong;
	}
	if (wrong)
		own_fault("%s: %ju waits did not end as they must", job->test, (uintmax_t)wrong);
	printf("RESULT test=%s threads=%u cpus=%ld words=%s mismatched=%u hash=%s seconds=%.3f "
	       "unit=ops/s value=%.1f\n",
	       job->test, threads, cpus, words, mismatched, hash.text, seconds,
	       (double)operations / seconds);
}
