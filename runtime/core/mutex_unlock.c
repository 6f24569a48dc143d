/* Unlock: whom to wake, and when to hand the mutex over. mutex.c states the algorithm. */
#include "config/options.h"
#include "core/mutex.h"
#include "core/mutex_queue.h"
#include "core/thread_life.h"
#include "sys/delay.h"

/* A waiter that many times the age is handed the mutex even while it sleeps. */
#define HANDOFF_ASLEEP 16

/* True if the coarse time lies more than `ticks` back. */
static bool is_past(_Atomic uint8_t *moment, uint64_t now, uint64_t ticks)
{
	uint64_t age = (uint8_t)(own_coarse(now) - own_load_relaxed(moment));
	uint64_t most = UINT8_MAX / 2; /* an age past it could not be told from none */

	return age > (ticks >> OWN_COARSE_SHIFT < most ? ticks >> OWN_COARSE_SHIFT : most);
}

static uint64_t handoff_ticks(void)
{
	return own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_handoff_us) * 1000);
}

/* A handler forked while the mutex was handed over: this is the child, which has no such waiter. */
OWN_NOINLINE static void take_back(struct own_mutex *mutex)
{
	own_mutex_clear_owner(mutex);
	own_mutex_unlock_slow(mutex);
}

/*
 * With the queue and the mutex held: if the first waiter has waited too long, hands the mutex to it
 * (it is spinning, or very old), or wakes it to spin and be handed the mutex at the next unlock. If
 * it is younger than thought, this is an unlock like any other. A mutex that is handed to a sleeper
 * is of no use to anybody until that one has woken up, and all who come meanwhile queue: so that is
 * the last resort. Returns the waiter to notify.
 */
static struct own_parker *hand_over(struct own_mutex *mutex, uint64_t now, uint32_t generation)
{
	struct own_parker *parker = mutex->queue.head;
	/* Signed: a waiter may have queued after `now` was read. */
	int64_t age = parker ? (int64_t)(now - parker->since) : 0;
	int64_t bound = (int64_t)handoff_ticks();
	bool young;

	if (own_mutex_queue_is_foreign(mutex))
		return own_mutex_leave_queue(mutex, 0, OWN_LOCKED);
	if (!parker)
		return own_mutex_leave_queue(mutex, 0, OWN_LOCKED);
	young = age < bound;
	/* A young one is looked at again when it is old enough. */
	own_store_relaxed(&mutex->handed, own_coarse(young ? parker->since : now));
	if (young || (own_load_relaxed(&parker->word) != OWN_PARKER_SPINNING &&
		      age < HANDOFF_ASLEEP * bound)) {
		parker =
		    young ? own_mutex_pop_designated(mutex) : own_mutex_designate(mutex, parker);
		own_parker_notify_if_any(own_mutex_leave_queue(mutex, OWN_DESIGNATED, OWN_LOCKED));
		return parker;
	}
	(void)own_mutex_pop(mutex, parker);
	parker->granted = 1;
	own_store_relaxed(&mutex->owner, parker->tid);
	own_count(handoffs, 1);
	/* LOCKED stays, so by I3 nobody else is popped, unless a stranger unlocks the mutex. */
	own_parker_notify_if_any(own_mutex_leave_queue(mutex, OWN_LOCKED, 0));
	if (own_unlikely(own_generation_now() != generation))
		take_back(mutex);
	return parker;
}

/*
 * Nobody waits, or the holder of Q sees to the waiters (I3). That a waiter is on its way is no
 * reason to leave the others asleep: as long as one is queued, every lock and unlock goes the slow
 * way, so a queue is to be emptied.
 */
static bool nobody_to_wake(uint32_t flags)
{
	return !(flags & OWN_WAITERS) || (flags & OWN_QUEUE);
}

void own_mutex_unlock_slow(struct own_mutex *mutex)
{
	uint32_t raw = own_load_relaxed(&mutex->word);
	uint64_t now = own_ticks();

	own_fork_check();
	for (;;) {
		uint32_t generation = own_generation_now();
		uint32_t flags = own_word_flags(raw, generation);

		own_step("M-unlock before");
		if (own_unlikely(!(flags & OWN_LOCKED)))
			return; /* nobody owns it: undefined, and harmless as in glibc */
		if (nobody_to_wake(flags)) {
			/* (M-unlock) */
			if (own_cas_release(&mutex->word, &raw,
					    own_word_make(flags & ~OWN_LOCKED, generation)))
				return;
		} else if (is_past(&mutex->handed, now, handoff_ticks())) {
			if (own_mutex_take_queue(mutex, &raw, generation, 0, 0)) {
				own_parker_notify_if_any(hand_over(mutex, now, generation));
				return;
			}
		} else if (own_mutex_take_queue(mutex, &raw, generation, OWN_DESIGNATED,
						OWN_LOCKED)) {
			struct own_parker *parker = own_mutex_pop_designated(mutex);

			own_parker_notify_if_any(own_mutex_leave_queue(mutex, 0, 0));
			own_parker_notify(parker);
			return;
		}
	}
}
