#include "core/parker.h"

#include <errno.h>

#include "core/buckets.h"
#include "core/fork.h"
#include "core/parker_slab.h"
#include "core/spin.h"
#include "core/thread_life.h"
#include "stats/hash_state.h"
#include "sys/delay.h"
#include "sys/futex.h"

#define WAITS_BETWEEN_LOOKS 256

static struct own_parker *take_for_this_thread(void)
{
	for (;;) {
		uint32_t generation = own_generation_now();
		struct own_parker *parker = own_parker_slab_take();

		if (!parker)
			return NULL;
		own_step("S-taken");
		parker->tid = own_thread_id();
		own_store_relaxed(&parker->cancellable, 0);
		own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
		parker->busy = 1;
		atomic_signal_fence(memory_order_seq_cst);
		if (own_likely(own_generation_now() == generation))
			return parker;
		/* A handler forked meanwhile: the child's free list may hold this one as well. */
		parker->busy = 0;
	}
}

struct own_parker *own_parker_acquire(void)
{
	struct own_parker *parker;

	own_thread_attach();
	parker = own_self.parker;
	if (own_likely(parker && !parker->busy)) {
		parker->busy = 1;
		parker->tid = own_thread_id(); /* another since a fork */
		return parker;
	}
	if (parker || own_self.exiting)
		return take_for_this_thread(); /* given back at the end of this wait */
	parker = take_for_this_thread();
	/* A handler that ran meanwhile may have got it one: then this one is a spare. */
	if (!own_self.parker)
		own_self.parker = parker;
	return parker;
}

void own_parker_release(struct own_parker *parker)
{
	uint32_t generation = own_generation_now();

	atomic_signal_fence(memory_order_seq_cst);
	parker->busy = 0;
	if (own_unlikely(parker != own_self.parker)) {
		own_step("S-give");
		own_parker_slab_give(parker, generation);
	} else if (own_unlikely(own_self.exiting)) {
		own_self.parker = NULL;
		own_parker_slab_give(parker, generation);
	}
}

static enum own_wait_outcome outcome_of(int result)
{
	switch (result) {
	case 0:
		return OWN_WAIT_WOKEN;
	case -EAGAIN:
		return OWN_WAIT_MISMATCH;
	case -ETIMEDOUT:
		return OWN_WAIT_TIMEOUT;
	default:
		return OWN_WAIT_INTERRUPTED;
	}
}

/*
 * One FUTEX_WAIT, counted. False: the word is no longer SPINNING or PARKED, and there was no wait.
 * A notification that comes after the step to PARKED and before the kernel looks at the word makes
 * a mismatch, so all that can be done before that step is.
 */
static bool wait_in_kernel(struct own_parker *parker, struct own_park *park, int *result)
{
	struct own_counters *counters = own_thread_counters();
	struct own_bucket_visit visit = own_buckets_enter(&parker->word);
	uint64_t start = own_ticks();
	uint32_t word = OWN_PARKER_SPINNING;
	enum own_wait_outcome outcome;
	uint64_t ns;

	own_step("park before");
	if (!own_cas_acq_rel(&parker->word, &word, OWN_PARKER_PARKED) &&
	    word != OWN_PARKER_PARKED) {
		own_buckets_leave(visit, NULL);
		return false;
	}
	own_step("parked, before the wait");
	*result = own_futex_wait(&parker->word, OWN_PARKER_PARKED, park->deadline);
	ns = own_ns_since(start);
	outcome = outcome_of(*result);
	own_buckets_leave(visit, counters);
	own_counters_wait(counters, outcome, ns);
	/* The kernel's table grows with the threads, some time after each has been made. */
	if (own_load_relaxed(&counters->waits[outcome].count) % WAITS_BETWEEN_LOOKS == 0)
		own_hash_state_look(own_stats_segment(), false);
	if (park->record)
		own_fetch_add_relaxed(&park->record->outcomes[outcome], 1);
	return true;
}

enum own_park_result own_parker_wait(struct own_parker *parker, struct own_park *park)
{
	park->parked = false;
	own_store_relaxed(&parker->spun, park->spin_ticks > 0 ? OWN_SPUN_STILL : OWN_SPUN_NOT);
	if (park->deadline && own_deadline_passed(park->deadline)) {
		if (own_load_acquire(&parker->word) == OWN_PARKER_SPINNING)
			return OWN_PARK_TIMEOUT; /* neither spinning nor the kernel can help */
		goto changed;
	}
	if (own_spin_on_word(&parker->word, OWN_PARKER_SPINNING, park))
		goto changed;
	for (;;) {
		uint32_t word;
		int result;

		own_store_relaxed(&parker->spun, (uint8_t)park->spun);
		if (!wait_in_kernel(parker, park, &result))
			goto changed;
		park->parked = true;
		word = own_load_acquire(&parker->word); /* (P-seen) */
		if (word != OWN_PARKER_PARKED)
			goto changed;
		if (result == -ETIMEDOUT) {
			if (own_cas_acq_rel(&parker->word, &word, OWN_PARKER_SPINNING))
				return OWN_PARK_TIMEOUT;
			goto changed;
		}
		if (result == 0)
			own_count(spurious, 1);
	}
changed:
	/* (P-seen): the word is NOTIFIED or POKED */
	if (own_load_acquire(&parker->word) == OWN_PARKER_NOTIFIED)
		return OWN_PARK_NOTIFIED;
	{
		uint32_t word = OWN_PARKER_POKED;

		if (!own_cas_acq_rel(&parker->word, &word, OWN_PARKER_SPINNING))
			return OWN_PARK_NOTIFIED;
	}
	return OWN_PARK_POKED;
}

/* What spinning was good for in a wait that its waker ends now. */
enum spin_result { NOTHING, SUCCEEDED, FAILED_ALONE, FAILED_SHARED };

static enum spin_result spin_result(const struct own_parker *parker)
{
	/* acquire: `spun` was written before the step to PARKED. A waiter that parks once more
	 * may write it again meanwhile: relaxed, it teaches either way. */
	bool parked = own_load_acquire(&parker->word) == OWN_PARKER_PARKED;

	switch ((enum own_spun)own_load_relaxed(&parker->spun)) {
	case OWN_SPUN_STILL:
		return SUCCEEDED;
	case OWN_SPUN_ALONE:
		return parked ? FAILED_ALONE : SUCCEEDED;
	case OWN_SPUN_SHARED:
		return parked ? FAILED_SHARED : SUCCEEDED;
	default:
		return NOTHING;
	}
}

void own_parker_teach(const struct own_parker *parker, _Atomic uint8_t *failures)
{
	enum spin_result result = spin_result(parker);

	if (result == SUCCEEDED || result == FAILED_ALONE)
		own_spin_learn(failures, result == FAILED_ALONE);
}

void own_parker_count_spin(const struct own_parker *parker, unsigned *succeeded, unsigned *failed)
{
	enum spin_result result = spin_result(parker);

	*succeeded += result == SUCCEEDED;
	*failed += result == FAILED_ALONE || result == FAILED_SHARED;
}

void own_parker_notify(struct own_parker *parker)
{
	_Atomic uint32_t *word = &parker->word;
	uint32_t old;

	own_step("P-notify before");
	/* (P-notify) From here on the parker may be in its thread's next wait. */
	old = own_exchange_acq_rel(word, OWN_PARKER_NOTIFIED);

	own_step("P-notify done");
	if (old == OWN_PARKER_PARKED) {
		int woken = own_futex_wake(word, 1);

		own_count(wakes, 1);
		if (woken == 0)
			own_count(wakes_empty, 1);
	} else {
		own_count(wakes_saved, 1);
	}
}

static void poke_one(struct own_parker *parker, void *context)
{
	uint32_t word;

	/* (C-poke) */
	if (own_load_acquire(&parker->cancellable) != *(const uintptr_t *)context)
		return;
	word = own_load_relaxed(&parker->word);
	while (word == OWN_PARKER_SPINNING || word == OWN_PARKER_PARKED) {
		own_step("poke before");
		if (!own_cas_acq_rel(&parker->word, &word, OWN_PARKER_POKED))
			continue;
		own_step("poked");
		if (word == OWN_PARKER_PARKED) {
			own_count(wakes, 1);
			if (own_futex_wake(&parker->word, 1) == 0)
				own_count(wakes_empty, 1);
		}
		break;
	}
}

void own_parker_poke(uintptr_t thread_handle)
{
	/* (C-poke): pthread_cancel has marked the thread before we look for its waits; the waiter
	 * publishes `cancellable` before it looks for the mark. One of the two sees the other. */
	atomic_thread_fence(memory_order_seq_cst);
	own_parker_slab_visit(poke_one, &thread_handle);
}

static bool belongs_to_this_thread(const struct own_parker *parker)
{
	return parker == own_self.parker || (parker->busy && parker->tid == own_self.tid);
}

static void end_interrupted_wait(struct own_parker *parker, void *context)
{
	(void)context;
	if (!parker->busy || !belongs_to_this_thread(parker))
		return;
	if (own_load_relaxed(&parker->claim) == OWN_CLAIM_NONE)
		return;
	own_store_relaxed(&parker->claim, OWN_CLAIM_POPPED);
	own_store_relaxed(&parker->word, OWN_PARKER_NOTIFIED);
}

static void clear_if_stranger(struct own_parker *parker, void *context)
{
	(void)context;
	if (belongs_to_this_thread(parker))
		return;
	parker->busy = 0;
	own_store_relaxed(&parker->cancellable, 0);
}

void own_parker_after_fork(void)
{
	own_buckets_after_fork();
	own_parker_slab_visit(clear_if_stranger, NULL);
	own_parker_slab_visit(end_interrupted_wait, NULL);
	own_parker_slab_rebuild(belongs_to_this_thread);
}
