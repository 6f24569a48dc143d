/*
 * How many of our threads stand in each bucket of the kernel's private futex hash, as predicted by
 * sys/futex_hash.h: so that a report can say how often waiters met in one, and took turns at its
 * lock. Two uncontended atomic additions for each FUTEX_WAIT, which costs a hundred times as much.
 */
#ifndef OWN_CORE_BUCKETS_H
#define OWN_CORE_BUCKETS_H

#include <stdint.h>

#include "stats/region.h"

#define OWN_BUCKETS   1024 /* larger tables are looked at modulo this */
#define OWN_NO_BUCKET UINT32_MAX

/*
 * The thread is about to wait on `word`: counts the wait if the bucket can be told, and once more
 * if somebody is there. Returns what own_buckets_leave wants afterwards.
 */
uint32_t own_buckets_enter(const volatile void *word, struct own_counters *counters);
void own_buckets_leave(uint32_t place);

/* In a fork child, where nobody waits. */
void own_buckets_after_fork(void);

#endif
