/*
 * Counting on the slow paths. Nothing here is reached by an uncontended lock or unlock.
 *
 * No function allocates, takes a lock, or changes errno. All are valid before own_stats_start and
 * after a fork: until there is a segment, counts go to a static one.
 */
#ifndef OWN_STATS_COUNTERS_H
#define OWN_STATS_COUNTERS_H

#include "stats/region.h"

/*
 * The segment of this process: never NULL, and the same address for the life of the process. What
 * changes is the memory behind it: zero pages of the library at first, then a segment of the
 * launcher's region, then, in a fork child, the next one.
 */
struct own_segment *own_stats_segment(void);

/*
 * Joins the launcher's region (OWN_REGION_ENVIRONMENT), and records command, start time and
 * modules. Called once, from the library's constructor. What was counted before stays counted.
 * Without a launcher, and on failure, private memory stays in use: counting never fails.
 */
void own_stats_start(void);

/*
 * In a fork child: takes a fresh segment with all counters zero; names stay. No descriptor is
 * needed. All slots are free then, so the calling thread has to attach anew.
 */
void own_stats_after_fork(void);

/* Fills the module table anew (dl_iterate_phdr). Not for lock paths. */
void own_stats_scan_modules(void);

/* Marks the segment as ended in an orderly way. */
void own_stats_stop(void);

/*
 * Counters for the calling thread. A slot is taken with attach and given back with detach; what was
 * counted stays in the slot, and the next thread that takes it adds to it. NULL: no slot is free;
 * the caller then uses own_counters_shared().
 */
struct own_counters *own_counters_attach(void);
void own_counters_detach(struct own_counters *counters);
void own_counters_free_slots(void); /* all of them, in a fork child */
struct own_counters *own_counters_shared(void);

/* True if `counters` is the shared block, which many threads add to. */
bool own_counters_is_shared(const struct own_counters *counters);

/* Adds to a field of `counters`; picks the plain or the atomic addition. */
void own_counters_add(struct own_counters *counters, _Atomic uint64_t *field, uint64_t value);

/* Raises a field to `value` if it is lower. */
void own_counters_raise(struct own_counters *counters, _Atomic uint64_t *field, uint64_t value);

/* One FUTEX_WAIT that has returned: its outcome and its time in the kernel. */
void own_counters_wait(struct own_counters *counters, enum own_wait_outcome outcome,
		       uint64_t time_ns);

/*
 * The record of a lock and a calling site, taken if it is new. NULL: the table is full, and the
 * miss has been counted. Add to its fields with own_fetch_add_relaxed.
 */
struct own_lock_record *own_record_find(const void *object, const void *site,
					enum own_object_kind kind);

/*
 * Gives a lock a name for reports; the empty text takes it away. False: no room is left. Texts are
 * kept for the life of the process, each of them once.
 */
bool own_record_set_name(const void *object, const char *name);
void own_record_clear_name(const void *object);

/* Adds up all threads of a segment. */
void own_counters_sum(const struct own_segment *segment, struct own_counters *sum);

/* True if no thread of the segment has waited or met contention. */
bool own_segment_is_quiet(const struct own_segment *segment);

/* Makes a segment all zero that nobody uses any more; touches used parts only. */
void own_segment_clear(struct own_segment *segment);

/* Sets every counter and record of this process to zero; concurrent additions may survive. */
void own_stats_reset(void);

#endif
