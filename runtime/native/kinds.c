/* What ownline/pthread.h leaves to the library: attributes, and the kinds that know their owner. */
#include <ownline/pthread.h>

#include <string.h>

#include "native/object.h"
#include "stats/counters.h"

/* Here the names mean the C library's types again; no object of these types is touched. */
#undef pthread_mutex_t
#undef pthread_cond_t

#define KIND_NORMAL	0
#define KIND_RECURSIVE	1
#define KIND_ERRORCHECK 2
#define KIND_DESTROYED	(-1)

/* Returns -1 when the caller has yet to take the mutex. */
static int relock(struct own_mutex *mutex)
{
	switch (mutex->kind) {
	case KIND_NORMAL:
		return -1;
	case KIND_ERRORCHECK:
		return own_mutex_is_owner(mutex) ? EDEADLK : -1;
	case KIND_RECURSIVE:
		if (!own_mutex_is_owner(mutex))
			return -1;
		return own_mutex_lock_again(mutex);
	default:
		return EINVAL;
	}
}

static void now_held(void *object)
{
	struct own_mutex *mutex = object;

	own_mutex_forget_held(mutex); /* plain pthread calls may release it */
	if (mutex->kind == KIND_RECURSIVE)
		own_store_relaxed(&mutex->count, 1);
}

static int lock_kind(struct own_mutex *mutex, const struct own_deadline *deadline, const void *site)
{
	int result = relock(mutex);

	if (result >= 0)
		return result;
	result = own_native_lock(mutex, deadline, site);
	if (result == 0)
		now_held(mutex);
	return result;
}

static int unlock_kind(void *object)
{
	struct own_mutex *mutex = object;

	if (mutex->kind == KIND_DESTROYED)
		return EINVAL;
	if (mutex->kind != KIND_NORMAL) {
		if (!own_mutex_is_owner(mutex))
			return EPERM;
		if (mutex->kind == KIND_RECURSIVE && !own_mutex_unlock_last(mutex))
			return 0;
	}
	own_native_unlock(mutex);
	return 0;
}

static int unlock_for_wait(void *mutex)
{
	int result;

	own_mutex_wait_begins(mutex);
	result = unlock_kind(mutex);
	if (result != 0)
		own_mutex_wait_ended(mutex);
	return result;
}

static int lock_again(void *mutex, const void *site)
{
	int result = lock_kind(mutex, NULL, site);

	own_mutex_wait_ended(mutex);
	return result;
}

static void held_again(void *mutex)
{
	now_held(mutex);
	own_mutex_wait_ended(mutex);
}

static int wait_kind(struct ownline_cond *cond, struct ownline_mutex *native,
		     const struct own_deadline *deadline, const void *site)
{
	struct own_mutex *mutex = own_native_mutex(native);
	bool stays_held = mutex->kind == KIND_RECURSIVE && own_load_relaxed(&mutex->count) > 1;
	const struct own_relock relock = {
	    .object = mutex,
	    .requeue = stays_held ? NULL : mutex,
	    .unlock = unlock_for_wait,
	    .lock = lock_again,
	    .locked = held_again,
	    .test_cancel = pthread_testcancel,
	};

	return own_native_wait(own_native_cond(cond), &relock, deadline, site);
}

static int kind_of(const pthread_mutexattr_t *attributes, int *kind)
{
	int shared;
	int robust;
	int protocol;

	if (pthread_mutexattr_getpshared(attributes, &shared) != 0 ||
	    pthread_mutexattr_getrobust(attributes, &robust) != 0 ||
	    pthread_mutexattr_getprotocol(attributes, &protocol) != 0 ||
	    pthread_mutexattr_gettype(attributes, kind) != 0)
		return EINVAL;
	if (shared != PTHREAD_PROCESS_PRIVATE || robust != PTHREAD_MUTEX_STALLED ||
	    protocol != PTHREAD_PRIO_NONE)
		return ENOTSUP;
	if (*kind == PTHREAD_MUTEX_ADAPTIVE_NP)
		*kind = KIND_NORMAL;
	return *kind >= KIND_NORMAL && *kind <= KIND_ERRORCHECK ? 0 : EINVAL;
}

OWN_EXPORT int ownline_pthread_mutex_init_(struct ownline_mutex *mutex,
					   const pthread_mutexattr_t *attributes)
{
	int kind = KIND_NORMAL;
	int result = attributes ? kind_of(attributes, &kind) : 0;

	if (result != 0)
		return result;
	own_mutex_forget_held(mutex);
	memset(mutex, 0, sizeof(*mutex));
	mutex->kind_ = kind;
	return 0;
}

OWN_EXPORT int ownline_pthread_mutex_destroy_(struct ownline_mutex *mutex)
{
	int result;

	if (mutex->kind_ == KIND_DESTROYED)
		return EINVAL;
	result = ownline_mutex_destroy(mutex);
	if (result == 0)
		mutex->kind_ = KIND_DESTROYED;
	return result;
}

OWN_EXPORT int ownline_kind_lock_(struct ownline_mutex *mutex)
{
	return lock_kind(own_native_mutex(mutex), NULL, OWN_CALLER());
}

OWN_EXPORT int ownline_kind_trylock_(struct ownline_mutex *native)
{
	struct own_mutex *mutex = own_native_mutex(native);

	if (mutex->kind == KIND_DESTROYED)
		return EINVAL;
	if (mutex->kind == KIND_RECURSIVE) {
		int result = relock(mutex);

		if (result >= 0)
			return result;
	}
	if (ownline_mutex_trylock_slow_(native) != 0)
		return EBUSY;
	now_held(mutex);
	return 0;
}

OWN_EXPORT int ownline_kind_lock_until_(struct ownline_mutex *native, clockid_t clock,
					const struct timespec *time)
{
	struct own_mutex *mutex = own_native_mutex(native);
	struct own_deadline deadline;
	int result = relock(mutex);

	if (result >= 0)
		return result;
	if (ownline_mutex_trylock_slow_(native) != 0) {
		result = own_deadline_make(&deadline, clock, time);
		if (result == 0)
			result = own_native_lock(mutex, &deadline, OWN_CALLER());
		if (result != 0)
			return result;
	}
	now_held(mutex);
	return 0;
}

OWN_EXPORT int ownline_kind_unlock_(struct ownline_mutex *mutex)
{
	return unlock_kind(own_native_mutex(mutex));
}

OWN_EXPORT int ownline_pthread_cond_init_(struct ownline_cond *cond,
					  const pthread_condattr_t *attributes)
{
	clockid_t clock = CLOCK_REALTIME;
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (attributes && (pthread_condattr_getpshared(attributes, &shared) != 0 ||
			   pthread_condattr_getclock(attributes, &clock) != 0))
		return EINVAL;
	if (shared != PTHREAD_PROCESS_PRIVATE)
		return ENOTSUP;
	memset(cond, 0, sizeof(*cond));
	cond->flags_ = clock == CLOCK_MONOTONIC ? OWN_COND_MONOTONIC : 0;
	return 0;
}

OWN_EXPORT int ownline_pthread_cond_destroy_(struct ownline_cond *cond)
{
	ownline_cond_destroy(cond);
	return 0;
}

OWN_EXPORT int ownline_kind_wait_(struct ownline_cond *cond, struct ownline_mutex *mutex)
{
	return wait_kind(cond, mutex, NULL, OWN_CALLER());
}

OWN_EXPORT int ownline_kind_wait_until_(struct ownline_cond *cond, struct ownline_mutex *mutex,
					clockid_t clock, const struct timespec *time)
{
	struct own_deadline deadline;
	int result = own_deadline_make(&deadline, clock, time);

	return result != 0 ? result : wait_kind(cond, mutex, &deadline, OWN_CALLER());
}
