/*
 * How many of our threads stand in each bucket of the kernel's private futex hash, as predicted by
 * sys/futex_hash.h: so that a report can say how often waiters met in one, and took turns at its
 * lock. Two uncontended atomic additions for each FUTEX_WAIT, which costs a hundred times as much.
 */
#ifndef OWN_CORE_BUCKETS_H
#define OWN_CORE_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/region.h"

#define OWN_BUCKETS   1024 /* larger tables are looked at modulo this */
#define OWN_NO_BUCKET UINT32_MAX

/* A thread that waits, or is about to. */
struct own_bucket_visit {
	uint32_t place;
	uint32_t generation; /* fork.h */
	bool shared;	     /* somebody was there */
};

/* The thread is about to wait on `word`. */
struct own_bucket_visit own_buckets_enter(const volatile void *word);

/*
 * It does not wait any more. Counts the wait if its bucket could be told, and once more if it was
 * shared; `counters` NULL: it has not waited after all.
 */
void own_buckets_leave(struct own_bucket_visit visit, struct own_counters *counters);

/* In a fork child, where nobody waits. */
void own_buckets_after_fork(void);

#endif
