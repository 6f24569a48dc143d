/* The lock records of one or more segments, added up per lock and ranked for a report. */
#ifndef OWN_STATS_LOCKS_H
#define OWN_STATS_LOCKS_H

#include "stats/region.h"

struct own_record_sums {
	uint64_t queued;
	uint64_t time_ns;
	uint64_t longest_ns;
	uint64_t outcomes[OWN_WAIT_OUTCOMES];
	uint64_t spun;
};

struct own_lock {
	const struct own_segment *segment;
	uint64_t object;
	uint32_t kind;
	struct own_record_sums sums;
};

struct own_lock_list {
	struct own_lock *locks; /* the longest time first, as far as ranked */
	size_t count;
	size_t bytes;
	uint64_t time_ns; /* of all */
};

/*
 * Copies every lock's sums and puts the `ranked` longest first. The memory is mapped; when there is
 * none, the list is empty.
 */
void own_locks_gather(struct own_lock_list *list, const struct own_segment *const *segments,
		      size_t count, size_t ranked);
void own_locks_release(struct own_lock_list *list);

/* Adds up what all calling sites have counted for one object; zeros if it has no record. */
void own_lock_sums(const struct own_segment *segment, uint64_t object,
		   struct own_record_sums *sums);

/* One calling site of a lock. */
struct own_lock_site {
	uint64_t address; /* or one of enum own_site */
	struct own_record_sums sums;
};

/*
 * The site that comes after `previous` (NULL: the first) in the order of time. False: no more.
 * While the process runs, a site may be met twice or missed.
 */
bool own_lock_next_site(const struct own_lock *lock, const struct own_lock_site *previous,
			struct own_lock_site *next);

#endif
