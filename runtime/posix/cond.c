/* pthread_cond_* and pthread_cancel over the core; process-shared variables are glibc's. */
#include <limits.h>
#include <string.h>

#include "posix/entry.h"
#include "posix/shared_cond.h"

/*
 * A mutex that a condition wait will lock again cannot be destroyed meanwhile. A mutex of glibc's
 * is kept by its own count of users, which glibc's waits do not give back either. The count is
 * changed with the mutex held, or by a caller that is about to get EPERM.
 */
static void count_user(pthread_mutex_t *mutex, unsigned change)
{
	(void)__atomic_fetch_add(&mutex->__data.__nusers, change, __ATOMIC_RELAXED);
}

static int unlock_for_wait(void *object)
{
	struct own_mutex *mutex = own_mutex_of(object);
	int result;

	if (own_mutex_is_delegated(mutex)) {
		count_user(object, 1);
		result = own_fallback()->mutex_unlock(object);
		if (result != 0)
			count_user(object, UINT_MAX); /* minus one */
		return result;
	}
	own_mutex_wait_begins(mutex);
	result = own_posix_mutex_unlock(object);
	if (result != 0)
		own_mutex_wait_ended(mutex);
	return result;
}

static int lock_after_wait(void *object, const void *site)
{
	struct own_mutex *mutex = own_mutex_of(object);
	int result;

	if (own_mutex_is_delegated(mutex)) {
		result = own_fallback()->mutex_lock(object);
		count_user(object, UINT_MAX); /* minus one */
		return result;
	}
	result = own_posix_mutex_lock_from(object, site);
	own_mutex_wait_ended(mutex);
	return result;
}

static void now_held(void *object)
{
	struct own_mutex *mutex = own_mutex_of(object);

	own_posix_mutex_now_held(mutex);
	own_mutex_wait_ended(mutex);
}

/* Waiters may be moved to the queue of a mutex of ours that the wait releases wholly. */
static struct own_mutex *requeue_target(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);

	if (own_mutex_is_delegated(mutex))
		return NULL;
	if ((mutex->kind & OWN_KIND_MASK) == OWN_KIND_RECURSIVE &&
	    own_load_relaxed(&mutex->count) > 1)
		return NULL;
	return mutex;
}

static int wait_ours(struct own_cond *cond, pthread_mutex_t *mutex,
		     const struct own_deadline *deadline, const void *site)
{
	const struct own_relock relock = {
	    .object = mutex,
	    .requeue = requeue_target(mutex),
	    .unlock = unlock_for_wait,
	    .lock = lock_after_wait,
	    .locked = now_held,
	    .test_cancel = pthread_testcancel,
	};
	int type;
	int result;

	/* Asynchronous cancellation would leave our parker in a queue; deferred, we look for it
	 * ourselves. Restoring it acts on what has come meanwhile, with the mutex held. */
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	result = own_cond_wait(cond, &relock, deadline, site);
	if (own_unlikely(type != PTHREAD_CANCEL_DEFERRED))
		(void)pthread_setcanceltype(type, NULL);
	return result;
}

static void leave_shared(void *local)
{
	own_shared_cond_leave(local);
}

/* A process-shared variable with a mutex that this process alone knows. */
static int wait_shared(pthread_cond_t *cond, pthread_mutex_t *mutex,
		       const struct own_deadline *deadline, const void *site)
{
	struct own_cond *local = own_shared_cond_enter(cond);
	int result;

	if (!local) {
		/* No room for its waiters: a spurious wake-up after a while. */
		result = own_posix_mutex_unlock(mutex);
		if (result != 0)
			return result;
		own_sleep_ns(1000000);
		result = own_posix_mutex_lock_from(mutex, site);
		pthread_testcancel();
		return result;
	}
	/* A cancelled wait leaves by unwinding. */
	pthread_cleanup_push(leave_shared, local);
	result = wait_ours(local, mutex, deadline, site);
	pthread_cleanup_pop(1);
	return result;
}

int own_posix_cond_wait_from(pthread_cond_t *pthread_cond, pthread_mutex_t *mutex, const void *site)
{
	struct own_cond *cond = own_cond_of(pthread_cond);

	if (own_likely(!(cond->flags & OWN_COND_SHARED)))
		return wait_ours(cond, mutex, NULL, site);
	if (own_mutex_is_delegated(own_mutex_of(mutex)))
		return own_fallback()->cond_wait(pthread_cond, mutex);
	return wait_shared(pthread_cond, mutex, NULL, site);
}

int own_posix_cond_clockwait_from(pthread_cond_t *pthread_cond, pthread_mutex_t *mutex,
				  clockid_t clock, const struct timespec *time, const void *site)
{
	struct own_cond *cond = own_cond_of(pthread_cond);
	bool own_clock = clock == OWN_CLOCK_OF_COND;
	struct own_deadline deadline;
	int result;

	if (own_clock)
		clock = cond->flags & OWN_COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	result = own_deadline_make(&deadline, clock, time);
	if (result != 0)
		return result;
	if (own_likely(!(cond->flags & OWN_COND_SHARED)))
		return wait_ours(cond, mutex, &deadline, site);
	if (!own_mutex_is_delegated(own_mutex_of(mutex)))
		return wait_shared(pthread_cond, mutex, &deadline, site);
	if (own_clock)
		return own_fallback()->cond_timedwait(pthread_cond, mutex, time);
	if (own_fallback()->cond_clockwait)
		return own_fallback()->cond_clockwait(pthread_cond, mutex, clock, time);
	return EINVAL; /* this glibc has no such call */
}

int own_posix_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return own_posix_cond_wait_from(cond, mutex, OWN_CALLER());
}

int own_posix_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			     const struct timespec *time)
{
	return own_posix_cond_clockwait_from(cond, mutex, OWN_CLOCK_OF_COND, time, OWN_CALLER());
}

int own_posix_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			     const struct timespec *time)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return own_posix_cond_clockwait_from(cond, mutex, clock, time, OWN_CALLER());
}

int own_posix_cond_signal(pthread_cond_t *pthread_cond)
{
	struct own_cond *cond = own_cond_of(pthread_cond);

	if (own_unlikely(cond->flags & OWN_COND_SHARED)) {
		own_shared_cond_wake(pthread_cond, own_cond_signal);
		return own_fallback()->cond_signal(pthread_cond);
	}
	own_cond_signal(cond);
	return 0;
}

int own_posix_cond_broadcast(pthread_cond_t *pthread_cond)
{
	struct own_cond *cond = own_cond_of(pthread_cond);

	if (own_unlikely(cond->flags & OWN_COND_SHARED)) {
		own_shared_cond_wake(pthread_cond, own_cond_broadcast);
		return own_fallback()->cond_broadcast(pthread_cond);
	}
	own_cond_broadcast(cond);
	return 0;
}

int own_posix_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
	if (attributes)
		return own_fallback()->cond_init(cond, attributes); /* zeroes it, sets the flags */
	memset(cond, 0, sizeof(*cond));
	return 0;
}

int own_posix_cond_destroy(pthread_cond_t *pthread_cond)
{
	struct own_cond *cond = own_cond_of(pthread_cond);

	if (cond->flags & OWN_COND_SHARED)
		return own_fallback()->cond_destroy(pthread_cond);
	own_cond_destroy(cond);
	return 0;
}

/*
 * glibc marks the thread. A waiter on a condition variable of ours is in a futex wait that glibc
 * knows nothing of, so it is poked to look for the mark.
 */
int own_posix_cancel(pthread_t thread)
{
	uintptr_t handle = (uintptr_t)thread;
	int result = own_fallback()->cancel(thread);
	int type;

	/* This call is async-cancel-safe: the poke has to be finished. */
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	own_parker_poke(handle);
	(void)pthread_setcanceltype(type, NULL);
	return result;
}

OWN_NAME(own_posix_cond_init, pthread_cond_init, OWN_SINCE_COND);
OWN_NAME(own_posix_cond_destroy, pthread_cond_destroy, OWN_SINCE_COND);
OWN_NAME(own_posix_cond_wait, pthread_cond_wait, OWN_SINCE_COND);
OWN_NAME(own_posix_cond_timedwait, pthread_cond_timedwait, OWN_SINCE_COND);
OWN_NAME(own_posix_cond_clockwait, pthread_cond_clockwait, OWN_SINCE_2_30);
OWN_NAME(own_posix_cond_signal, pthread_cond_signal, OWN_SINCE_COND);
OWN_NAME(own_posix_cond_broadcast, pthread_cond_broadcast, OWN_SINCE_COND);
OWN_NAME(own_posix_cancel, pthread_cancel, OWN_SINCE_PLAIN);
