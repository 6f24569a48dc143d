/* pthread_mutex_*: our four kinds over the core, glibc for the rest. */
#include <string.h>

#include "core/poll.h"
#include "posix/entry.h"

/* Takes the mutex at once or not at all; sets the owner. */
static bool take_now(struct own_mutex *mutex)
{
	/* A look first: a failing swap would take the cacheline from the owner. */
	if (own_load_relaxed(&mutex->word) & OWN_LOCKED)
		return false;
	if (!own_mutex_try_fast(mutex, own_single_threaded()) && !own_mutex_trylock(mutex))
		return false;
	own_mutex_taken(mutex);
	return true;
}

static OWN_ALWAYS_INLINE unsigned bit_of(const struct own_mutex *mutex)
{
	return (uintptr_t)mutex >> 4 & 63;
}

/*
 * Whether the thread found a mutex of another kind than the normal one when it last locked one at
 * this address or another of the same bit. A wrong guess costs a swap that fails, or the long way
 * to a mutex of the normal kind.
 */
static OWN_ALWAYS_INLINE bool guess_other(const struct own_mutex *mutex)
{
	return own_self.others >> bit_of(mutex) & 1;
}

static void learn_guess(const struct own_mutex *mutex)
{
	if (guess_other(mutex) == own_mutex_is_normal(mutex))
		own_self.others ^= UINT64_C(1) << bit_of(mutex);
}

/* The C library's calls, to lock a mutex that is its. */
static const struct own_fallback *locked_by_glibc(const pthread_mutex_t *mutex)
{
	own_mutex_forget_held(mutex);
	learn_guess((const struct own_mutex *)(const void *)mutex);
	return own_fallback();
}

/* For the kinds that know their owner; any of ours may be given. Returns -1 when the caller has yet
 * to wait for the mutex. */
static int relock(struct own_mutex *mutex)
{
	int kind = mutex->kind & OWN_KIND_MASK;

	learn_guess(mutex);
	if (kind == OWN_KIND_NORMAL || kind == OWN_KIND_ADAPTIVE || !own_mutex_is_owner(mutex))
		return -1;
	if (kind == OWN_KIND_ERRORCHECK)
		return EDEADLK;
	return own_mutex_lock_again(mutex);
}

static OWN_NOINLINE int lock_any_kind(pthread_mutex_t *pthread_mutex, const void *site)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);
	int result;

	if (own_unlikely(own_mutex_is_delegated(mutex)))
		return locked_by_glibc(pthread_mutex)->mutex_lock(pthread_mutex);
	result = relock(mutex);
	if (result >= 0)
		return result;
	result = 0;
	if (own_mutex_try_fast(mutex, own_single_threaded()))
		own_mutex_taken(mutex);
	else
		result = own_mutex_lock_slow(mutex, NULL, site);
	own_posix_mutex_now_held(mutex);
	return result;
}

/*
 * own_mutex_try_normal with the owner set. *kind: what the mutex is, if that failed. With one
 * thread nobody spins who would look at more, and to ask for the kind costs nothing.
 */
static OWN_ALWAYS_INLINE bool take_normal(struct own_mutex *mutex, bool single, int32_t *kind)
{
	int32_t tid = own_self.tid;

	*kind = -1;
	if (own_unlikely(tid == 0 || guess_other(mutex) ||
			 !own_mutex_try_normal(mutex, single, kind)))
		return false;
	if (single) {
		own_store_relaxed(&mutex->owner, tid);
		return true;
	}
	own_mutex_taken_by(mutex, tid);
	own_self.held = mutex;
	return true;
}

/* By the long way; `kind` as take_normal has it. */
static OWN_ALWAYS_INLINE int lock_slow(struct own_mutex *mutex, int32_t kind, const void *site)
{
	if (kind != OWN_KIND_NORMAL)
		return lock_any_kind((pthread_mutex_t *)(void *)mutex, site);
	own_self.held = mutex; /* it will be: there is no deadline */
	return own_mutex_lock_slow(mutex, NULL, site);
}

int own_posix_mutex_lock_from(pthread_mutex_t *mutex, const void *site)
{
	int32_t kind;

	if (own_likely(take_normal(own_mutex_of(mutex), own_single_threaded(), &kind)))
		return 0;
	return lock_slow(own_mutex_of(mutex), kind, site);
}

OWN_CODE_ALIGNED int own_posix_mutex_lock(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);
	int32_t kind;

	/* Apart from the other path to the end: joined, they are a tenth slower. */
	if (own_single_threaded()) {
		if (own_unlikely(!take_normal(mutex, true, &kind)))
			return lock_slow(mutex, kind, OWN_CALLER());
		return 0;
	}
	if (own_unlikely(!take_normal(mutex, false, &kind)))
		return lock_slow(mutex, kind, OWN_CALLER());
	return 0;
}

static OWN_ALWAYS_INLINE void release(struct own_mutex *mutex, bool single)
{
	own_self.held = NULL;
	own_mutex_clear_owner(mutex);
	if (own_unlikely(!own_mutex_unlock_fast(mutex, single)))
		own_mutex_unlock_slow(mutex);
}

static OWN_NOINLINE int unlock_any_kind(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);
	int kind = mutex->kind & OWN_KIND_MASK;

	if (own_mutex_is_delegated(mutex))
		return own_fallback()->mutex_unlock(pthread_mutex);
	if (kind == OWN_KIND_ERRORCHECK || kind == OWN_KIND_RECURSIVE) {
		if (!own_mutex_is_owner(mutex))
			return EPERM;
		if (kind == OWN_KIND_RECURSIVE && !own_mutex_unlock_last(mutex))
			return 0;
	}
	release(mutex, own_single_threaded());
	return 0;
}

OWN_CODE_ALIGNED int own_posix_mutex_unlock(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);

	if (own_single_threaded()) {
		if (own_unlikely(!own_mutex_is_normal(mutex)))
			return unlock_any_kind(pthread_mutex);
		release(mutex, true);
		return 0;
	}
	/* Where it is known the kind is not asked for: a load from the mutex's line is dear. */
	if (own_self.held != mutex && own_unlikely(!own_mutex_is_normal(mutex)))
		return unlock_any_kind(pthread_mutex);
	release(mutex, false);
	return 0;
}

int own_posix_mutex_trylock(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);
	int32_t kind;

	/* A look first: a failing swap would take the cacheline from the owner. */
	if (!(own_load_relaxed(&mutex->word) & OWN_LOCKED) &&
	    own_likely(take_normal(mutex, own_single_threaded(), &kind)))
		return 0;
	if (own_unlikely(own_mutex_is_delegated(mutex)))
		return locked_by_glibc(pthread_mutex)->mutex_trylock(pthread_mutex);
	if ((mutex->kind & OWN_KIND_MASK) == OWN_KIND_RECURSIVE) {
		int result = relock(mutex);

		if (result >= 0)
			return result;
	} else {
		learn_guess(mutex);
	}
	if (!take_now(mutex)) {
		own_poll_failed(mutex);
		return EBUSY;
	}
	own_posix_mutex_now_held(mutex);
	return 0;
}

static int lock_until(pthread_mutex_t *pthread_mutex, clockid_t clock, const struct timespec *time,
		      const void *site)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);
	struct own_deadline deadline;
	int result = relock(mutex);

	if (result >= 0)
		return result;
	if (!take_now(mutex)) {
		/* As glibc: the time is looked at only where it is needed. */
		result = own_deadline_make(&deadline, clock, time);
		if (result == 0)
			result = own_mutex_lock_slow(mutex, &deadline, site);
		if (result != 0)
			return result;
	}
	own_posix_mutex_now_held(mutex);
	return 0;
}

/* A timed lock will change the mutex's line in any case: no look first, as trylock has it. */
static OWN_ALWAYS_INLINE bool take_in_time(pthread_mutex_t *mutex)
{
	int32_t kind;

	return own_likely(take_normal(own_mutex_of(mutex), own_single_threaded(), &kind));
}

int own_posix_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
	if (take_in_time(mutex))
		return 0;
	if (own_unlikely(own_mutex_is_delegated(own_mutex_of(mutex))))
		return locked_by_glibc(mutex)->mutex_timedlock(mutex, time);
	return lock_until(mutex, CLOCK_REALTIME, time, OWN_CALLER());
}

int own_posix_mutex_clocklock_from(pthread_mutex_t *mutex, clockid_t clock,
				   const struct timespec *time, const void *site)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	if (take_in_time(mutex))
		return 0;
	if (own_unlikely(own_mutex_is_delegated(own_mutex_of(mutex)))) {
		const struct own_fallback *glibc = locked_by_glibc(mutex);

		if (glibc->mutex_clocklock)
			return glibc->mutex_clocklock(mutex, clock, time);
		if (clock != CLOCK_REALTIME)
			return EINVAL;
		return glibc->mutex_timedlock(mutex, time);
	}
	return lock_until(mutex, clock, time, site);
}

int own_posix_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
	return own_posix_mutex_clocklock_from(mutex, clock, time, OWN_CALLER());
}

int own_posix_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	int result = 0;

	own_mutex_forget_held(mutex);
	if (attributes)
		result =
		    own_fallback()->mutex_init(mutex, attributes); /* reads them, sets the kind */
	else
		memset(mutex, 0, sizeof(*mutex));
	/* Without flags, such as the one for a mutex that is to be of the normal kind. */
	if (result == 0 && own_mutex_is_normal(own_mutex_of(mutex)))
		own_mutex_of(mutex)->kind = OWN_KIND_NORMAL;
	return result;
}

int own_posix_mutex_destroy(pthread_mutex_t *pthread_mutex)
{
	struct own_mutex *mutex = own_mutex_of(pthread_mutex);

	if (own_mutex_is_delegated(mutex))
		return own_fallback()->mutex_destroy(pthread_mutex);
	if ((own_load_relaxed(&mutex->word) & OWN_LOCKED) || own_mutex_has_waits(mutex))
		return EBUSY;
	own_mutex_forget_held(mutex);
	mutex->kind = OWN_KIND_DESTROYED;
	return 0;
}

int own_posix_mutex_consistent(pthread_mutex_t *mutex)
{
	if (own_mutex_is_delegated(own_mutex_of(mutex)))
		return own_fallback()->mutex_consistent(mutex);
	return EINVAL; /* not robust */
}

int own_posix_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling)
{
	if (((const struct own_mutex *)(const void *)mutex)->kind & OWN_KIND_DELEGATED)
		return own_fallback()->mutex_getprioceiling(mutex, ceiling);
	return EINVAL; /* no ceiling */
}

int own_posix_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
	if (own_mutex_is_delegated(own_mutex_of(mutex)))
		return own_fallback()->mutex_setprioceiling(mutex, ceiling, old);
	return EINVAL;
}

OWN_NAME(own_posix_mutex_init, pthread_mutex_init, OWN_SINCE_EVER);
OWN_NAME(own_posix_mutex_destroy, pthread_mutex_destroy, OWN_SINCE_EVER);
OWN_NAME(own_posix_mutex_lock, pthread_mutex_lock, OWN_SINCE_EVER);
OWN_NAME(own_posix_mutex_unlock, pthread_mutex_unlock, OWN_SINCE_EVER);
OWN_NAME(own_posix_mutex_trylock, pthread_mutex_trylock, OWN_SINCE_PLAIN);
OWN_NAME(own_posix_mutex_timedlock, pthread_mutex_timedlock, OWN_SINCE_PLAIN);
OWN_NAME(own_posix_mutex_clocklock, pthread_mutex_clocklock, OWN_SINCE_2_30);
OWN_NAME(own_posix_mutex_consistent, pthread_mutex_consistent, OWN_SINCE_2_12);
OWN_NAME(own_posix_mutex_getprioceiling, pthread_mutex_getprioceiling, OWN_SINCE_2_4);
OWN_NAME(own_posix_mutex_setprioceiling, pthread_mutex_setprioceiling, OWN_SINCE_2_4);
OWN_UNDERSCORED(own_posix_mutex_init, __pthread_mutex_init);
OWN_UNDERSCORED(own_posix_mutex_destroy, __pthread_mutex_destroy);
OWN_UNDERSCORED(own_posix_mutex_lock, __pthread_mutex_lock);
OWN_UNDERSCORED(own_posix_mutex_unlock, __pthread_mutex_unlock);
OWN_UNDERSCORED(own_posix_mutex_trylock, __pthread_mutex_trylock);
#ifdef OWN_SHARED
OWN_ALIAS(own_posix_mutex_consistent, own_posix_mutex_consistent_np);
OWN_ONLY_2_4(own_posix_mutex_consistent_np, pthread_mutex_consistent_np);
#endif
