/*
 * The steps on a mutex's queue, for mutex.c and mutex_unlock.c. mutex.c states the algorithm: the
 * states, the invariants (I1 ..) and the labels named here.
 */
#ifndef OWN_CORE_MUTEX_QUEUE_H
#define OWN_CORE_MUTEX_QUEUE_H

#include "core/mutex_word.h"

/* Takes the queue from a word in which, by `generation`, it was free; sets and clears bits in the
 * same step. False: the word was another, *raw is what it is now. */
OWN_MUST_CHECK bool own_mutex_take_queue(struct own_mutex *mutex, uint32_t *raw,
					 uint32_t generation, uint32_t set, uint32_t clear);

/* Waits until the queue is free and takes it. Returns the generation with which it did. */
uint32_t own_mutex_wait_for_queue(struct own_mutex *mutex);

/*
 * Lets go of the queue; sets and clears LOCKED and DESIGNATED in the same step. Keeps I3: returns
 * the waiter to notify, or NULL.
 */
OWN_MUST_CHECK struct own_parker *own_mutex_leave_queue(struct own_mutex *mutex, uint32_t set,
							uint32_t clear);

/* True if the caller took the queue before a fork and is in the child now: it was interrupted by a
 * signal handler that forked. */
bool own_mutex_queue_is_foreign(struct own_mutex *mutex);

/* With the queue held: pop the waiter; pop it as the designated one; choose one and do so. */
struct own_parker *own_mutex_pop(struct own_mutex *mutex, struct own_parker *parker);
struct own_parker *own_mutex_designate(struct own_mutex *mutex, struct own_parker *parker);
struct own_parker *own_mutex_pop_designated(struct own_mutex *mutex);

/* Whether the waiter has been there for longer than anybody spins, at `now`. */
OWN_MUST_CHECK bool own_mutex_waited_long(const struct own_parker *parker, uint64_t now);

static inline void own_parker_notify_if_any(struct own_parker *popped)
{
	if (popped)
		own_parker_notify(popped);
}

#endif
