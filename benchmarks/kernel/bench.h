/*
 * The kernel lab's benchmark: futex operations one at a time, in a guest or on a bare machine.
 *
 * A job is a test's name and parameters, "wait-mismatched,hash=256". Each job runs in a child of
 * its own, because a process that has chosen the kernel's global hash can never leave it. It
 * prints one line
 *     RESULT test=NAME key=value ... unit=UNIT value=NUMBER
 * or, where the kernel cannot do it, RESULT test=NAME key=value ... skipped=WHY.
 */
#ifndef OWN_KERNEL_BENCH_H
#define OWN_KERNEL_BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define OWN_MAX_PARAMETERS 8

struct own_job {
	char *test;
	unsigned count;
	char *keys[OWN_MAX_PARAMETERS];
	char *values[OWN_MAX_PARAMETERS];
};

/* Which hash the futexes of the process are to be in; see own_enter_hash(). */
enum own_hash_kind { OWN_HASH_AUTO, OWN_HASH_NONE, OWN_HASH_GLOBAL, OWN_HASH_SLOTS };

struct own_hash {
	enum own_hash_kind kind;
	unsigned slots;
	const char *text;
};

/* main.c. One line on stderr, then exit status 2 (asked for wrongly) or 1 (went wrong). */
_Noreturn void own_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void own_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* job.c. The texts that are returned live as long as the job's. */
void own_job_parse(struct own_job *job, char *text);
void own_job_allow(const struct own_job *job, const char *const *keys);
const char *own_job_text(const struct own_job *job, const char *key, const char *otherwise);
double own_job_number(const struct own_job *job, const char *key, double otherwise, double least,
		      double most);
struct own_hash own_job_hash(const struct own_job *job);

/*
 * hash.c. Puts the process into the hash, with a second thread asleep unless the kind is NONE:
 * a process with one thread has no hash of its own. False: this kernel has no private hashes.
 */
bool own_enter_hash(const struct own_hash *hash);
/* Buckets of the private hash; 0: none, or the global one; -1: the kernel has no private hashes. */
int own_hash_slots(void);

/* exact.c, contend.c, programs.c: the tests. */
void own_test_exact(const struct own_job *job);
void own_test_contend(const struct own_job *job);
void own_test_workload(const struct own_job *job);

/* guest.c: what process 1 of a guest does before and after the jobs. */
char *own_guest_begin(void);
_Noreturn void own_guest_end(int status);

long own_futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout);

static inline uint64_t own_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

#endif
