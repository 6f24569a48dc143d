#include "core/buckets.h"

#include "core/fork.h"
#include "stats/counters.h"
#include "stats/hash_state.h"
#include "sys/futex_hash.h"

#define PER_LINE (OWN_CACHELINE / sizeof(uint32_t))
#define LINES	 (OWN_BUCKETS / PER_LINE)

static _Alignas(OWN_CACHELINE) _Atomic uint32_t standing[OWN_BUCKETS];

/* Neighbouring buckets lie in different lines: a table of 16 slots uses 16 lines, not one. */
static uint32_t place_of(uint32_t bucket)
{
	return bucket % LINES * PER_LINE + bucket / LINES;
}

struct own_bucket_visit own_buckets_enter(const volatile void *word)
{
	struct own_bucket_visit visit = {OWN_NO_BUCKET, own_generation_now(), false};
	uint32_t slots = own_hash_state_slots(own_stats_segment());

	if (slots == 0)
		return visit;
	visit.place = place_of(own_futex_bucket(word, slots < OWN_BUCKETS ? slots : OWN_BUCKETS));
	/* relaxed: a count, which orders nothing */
	visit.shared = own_fetch_add_relaxed(&standing[visit.place], 1) != 0;
	return visit;
}

void own_buckets_leave(struct own_bucket_visit visit, struct own_counters *counters)
{
	if (visit.place == OWN_NO_BUCKET)
		return;
	/* A handler that forked during the wait: in the child nobody stands there. */
	if (own_likely(visit.generation == own_generation_now()))
		own_fetch_add_relaxed(&standing[visit.place], UINT32_MAX); /* minus one */
	if (!counters)
		return;
	own_counters_add(counters, &counters->bucket_known, 1);
	if (visit.shared)
		own_counters_add(counters, &counters->bucket_shared, 1);
}

void own_buckets_after_fork(void)
{
	for (uint32_t i = 0; i < OWN_BUCKETS; i++) {
		/* Stores only where it must: the pages are shared with the parent. */
		if (own_load_relaxed(&standing[i]) != 0)
			own_store_relaxed(&standing[i], 0);
	}
}
