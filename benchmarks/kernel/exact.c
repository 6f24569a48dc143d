/*
 * One operation again and again. In a guest that counts instructions a nanosecond is one, and the
 * median of the batches is exact: only a few batches hold a timer interrupt.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define MAX_BATCHES 1000

static atomic_uint word;

/* Each returns how many operations ended otherwise than they must. */
static unsigned long do_syscall(unsigned long operations)
{
	unsigned long wrong = 0;

	for (unsigned long i = 0; i < operations; i++)
		wrong += syscall(SYS_getppid) < 0;
	return wrong;
}

static unsigned long do_mismatched(unsigned long operations)
{
	unsigned long wrong = 0;

	for (unsigned long i = 0; i < operations; i++) {
		if (own_futex(&word, FUTEX_WAIT_PRIVATE, 1234, NULL) != -1 || errno != EAGAIN)
			wrong++;
	}
	return wrong;
}

/* Matches, is queued, finds its deadline passed. */
static unsigned long do_expired(unsigned long operations)
{
	static const struct timespec past = {.tv_nsec = 1};
	unsigned long wrong = 0;

	for (unsigned long i = 0; i < operations; i++) {
		if (own_futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &past) != -1 ||
		    errno != ETIMEDOUT)
			wrong++;
	}
	return wrong;
}

static unsigned long do_wake(unsigned long operations)
{
	unsigned long wrong = 0;

	for (unsigned long i = 0; i < operations; i++)
		wrong += own_futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL) != 0;
	return wrong;
}

/* The word says whose turn it is; each turn is a store, a wake and a wait. */
static void take_turn(unsigned me)
{
	while (atomic_load(&word) != me)
		own_futex(&word, FUTEX_WAIT_PRIVATE, !me, NULL);
	atomic_store(&word, !me);
	own_futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void *bounce_back(void *unused)
{
	(void)unused;
	for (;;)
		take_turn(1);
	return NULL;
}

static void begin_bounce(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, bounce_back, NULL))
		own_fault("cannot create the other thread");
}

/* Two turns, one of each thread, in half as many rounds. */
static unsigned long do_bounce(unsigned long operations)
{
	for (unsigned long i = 0; i < operations / 2; i++)
		take_turn(0);
	return 0;
}

static const struct operation {
	const char *name;
	unsigned long (*run)(unsigned long operations);
	void (*begin)(void);
} operations[] = {
    {"syscall", do_syscall, NULL},	 {"wait-mismatched", do_mismatched, NULL},
    {"wait-expired", do_expired, NULL},	 {"wake-nobody", do_wake, NULL},
    {"bounce", do_bounce, begin_bounce},
};

static const struct operation *find_operation(const char *name)
{
	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	}
	abort();
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static void measure(const struct operation *operation, double *values, unsigned batches,
		    unsigned long count)
{
	unsigned long wrong = operation->run(count); /* warms up, and is not counted */

	for (unsigned i = 0; i < batches; i++) {
		uint64_t started = own_now_ns();

		wrong += operation->run(count);
		values[i] = (double)(own_now_ns() - started) / (double)count;
	}
	if (wrong)
		own_fault("%s: %lu operations of %lu did not end as they must", operation->name,
			  wrong, count * (batches + 1));
	qsort(values, batches, sizeof(*values), compare);
}

void own_test_exact(const struct own_job *job)
{
	static const char *const keys[] = {"hash", "batches", "operations", NULL};
	static double values[MAX_BATCHES];
	const struct operation *operation = find_operation(job->test);
	struct own_hash hash = own_job_hash(job);
	unsigned batches, slots;
	unsigned long count;

	own_job_allow(job, keys);
	batches = (unsigned)own_job_number(job, "batches", 21, 1, MAX_BATCHES);
	count = (unsigned long)own_job_number(job, "operations", 1000, 2, 1e9);
	if (operation->begin && hash.kind == OWN_HASH_NONE)
		own_usage("%s needs two threads, and hash=none means one", job->test);
	if (!own_enter_hash(&hash)) {
		printf("RESULT test=%s hash=%s skipped=no-private-hash\n", job->test, hash.text);
		return;
	}
	if (operation->begin)
		operation->begin();
	measure(operation, values, batches, count);
	slots = own_hash_slots() > 0 ? (unsigned)own_hash_slots() : 0;
	printf("RESULT test=%s hash=%s slots=%u batches=%u operations=%lu least=%.3f most=%.3f "
	       "unit=ns value=%.3f\n",
	       job->test, hash.text, slots, batches, count, values[0], values[batches - 1],
	       values[batches / 2]);
}
