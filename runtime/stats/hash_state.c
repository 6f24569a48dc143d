#include "stats/hash_state.h"

#include <errno.h>

#include "sys/futex_hash.h"
#include "sys/thread.h"

/* The kernel says 0 for a process that has not had threads and for one on the global hash. */
static uint32_t without_slots(uint32_t before, bool global)
{
	if (global || before == OWN_HASH_GLOBAL || !own_thread_is_alone())
		return OWN_HASH_GLOBAL;
	return OWN_HASH_NONE;
}

void own_hash_state_look(struct own_segment *segment, bool global)
{
	uint32_t before = own_load_relaxed(&segment->futex_slots);
	int slots = own_futex_hash_slots();
	uint32_t now;

	if (slots > 0)
		now = (uint32_t)slots;
	else if (slots == 0)
		now = without_slots(before, global);
	else
		now = slots == -EINVAL ? OWN_HASH_MISSING : OWN_HASH_UNKNOWN;
	if (now != before)
		own_store_relaxed(&segment->futex_slots, now);
}
