/* The condition variable; cond.c states the algorithm. */
#ifndef OWN_CORE_COND_H
#define OWN_CORE_COND_H

#include "core/cond_word.h"
#include "sys/clock.h"

/* The mutex of a wait, of whatever kind. */
struct own_relock {
	void *object;
	struct own_mutex
	    *requeue; /* waiters may be moved to its queue; NULL: not a mutex of ours */
	int (*unlock)(
	    void *object); /* 0 or a positive errno, which ends the wait before it starts */
	int (*lock)(void *object, const void *site);
	void (*locked)(void *object); /* after the core has locked `requeue`: set owner and count */
	void (*test_cancel)(void);    /* a cancellation point; may not return; NULL: none */
};

/*
 * Waits. The mutex is held again on return, whatever the result: 0 (perhaps spuriously), ETIMEDOUT,
 * or the errno of unlock or lock.
 */
OWN_MUST_CHECK int own_cond_wait(struct own_cond *cond, const struct own_relock *relock,
				 const struct own_deadline *deadline, const void *site);

void own_cond_signal(struct own_cond *cond);
void own_cond_broadcast(struct own_cond *cond);

/* Waits for waiters that are in the middle of leaving; then the memory may be reused. */
void own_cond_destroy(struct own_cond *cond);

#endif
