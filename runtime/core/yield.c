/*
 * A yield lets a thread of this process make progress, or a stranger take a whole time slice. To
 * tell these apart, each CPU keeps when a thread of this process was last seen yielding there. If
 * nobody was for as long as a slice, while somebody waited for the CPU to come back, a stranger had
 * it.
 */
#include "core/yield.h"

#include "base/atomic.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/thread.h"

/* Shorter than a time slice. */
#define CROWDED_YIELD_NS UINT64_C(2500000)
/* No more yields there for so long after, the first time; twice as long each time that the next
 * stranger is there as soon as that is over. One that is gone again has cost little then. */
#define CROWDED_FIRST_NS UINT64_C(2500000)
#define CROWDED_MOST_NS	 UINT64_C(20000000)
/* A yield that finds nobody else is over sooner. */
#define USED_YIELD_NS UINT64_C(2000)

/* CPUs whose numbers differ by a multiple of this share a place: then some yields are made that
 * strangers get. */
#define PLACES 64

/* All accesses are relaxed, and racy: a wrong answer costs time only. */
static struct place {
	_Atomic uint64_t seen;		/* ticks: when one of us began or ended a yield here */
	_Atomic uint64_t crowded_since; /* ticks: when a stranger was last found here */
	_Atomic uint64_t crowded_for;	/* ticks: how long no yields are made from then on */
} places[PLACES];

static struct place *place_here(void)
{
	return &places[own_cpu_mark() % PLACES];
}

/* A stranger had the CPU from `before` until `after`: no yields there for a while. */
static void stop_yields(struct place *place, uint64_t before, uint64_t after)
{
	uint64_t last = own_load_relaxed(&place->crowded_for);
	uint64_t most = own_ns_to_ticks(CROWDED_MOST_NS);
	uint64_t now = own_ns_to_ticks(CROWDED_FIRST_NS);

	if (own_ticks_near(before, own_load_relaxed(&place->crowded_since), 2 * last))
		now = 2 * last < most ? 2 * last : most;
	own_store_relaxed(&place->crowded_for, now);
	own_store_relaxed(&place->crowded_since, after);
}

bool own_yield_once(bool *used)
{
	struct place *place = place_here();
	uint64_t before = own_ticks();
	uint64_t after;
	uint64_t slice = own_ns_to_ticks(CROWDED_YIELD_NS);
	int64_t unseen; /* signed: another thread may have been here after `after` was read */

	if (own_ticks_near(before, own_load_relaxed(&place->crowded_since),
			   own_load_relaxed(&place->crowded_for)))
		return false;
	own_store_relaxed(&place->seen, before);
	own_yield();
	after = own_ticks();
	if (after - before <= own_ns_to_ticks(USED_YIELD_NS))
		return true;
	*used = true;
	place = place_here();
	unseen = (int64_t)(after - own_load_relaxed(&place->seen));
	own_store_relaxed(&place->seen, after);
	if (after - before > slice && unseen > (int64_t)slice)
		stop_yields(place, before, after);
	return true;
}
