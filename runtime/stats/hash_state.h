/* What is known of the kernel's private futex hash of this process. */
#ifndef OWN_STATS_HASH_STATE_H
#define OWN_STATS_HASH_STATE_H

#include "stats/region.h"

#include <stdbool.h>

/*
 * Asks the kernel and records the answer in `segment`, so that a reader has it after the process
 * has died. `global`: the process is known to be on the global hash, until it ends. Costs one or
 * two short system calls: for starts, ends, and now and then on a slow path.
 */
void own_hash_state_look(struct own_segment *segment, bool global);

/* A power of two if the process has a private hash of that many slots, else 0. */
static inline uint32_t own_hash_state_slots(const struct own_segment *segment)
{
	uint32_t slots = own_load_relaxed(&segment->futex_slots);

	return slots > OWN_HASH_GLOBAL && slots < OWN_HASH_UNKNOWN ? slots : 0;
}

#endif
