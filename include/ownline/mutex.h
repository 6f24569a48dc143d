/*
 * ownline_mutex: a mutex that fills a cacheline.
 *
 * A struct ownline_mutex is aligned to 64 bytes and fills them, so that two mutexes, or a mutex
 * and the data beside it, never share a line. Taking and releasing a mutex that nobody waits for
 * is one compare-and-swap each, made in place: no function is called. Threads that have to wait
 * look at a word of their own for a while, and then wait on it in the kernel; nobody else waits
 * on that word.
 *
 * The mutex is not recursive and is meant to be unlocked by the thread that locked it; neither is
 * checked. It may be used in the child of a fork as in the parent: the child holds what the
 * forking thread held. It is private to its process: never put it into shared memory.
 *
 * Memory that is all zero is an unlocked mutex. A mutex may be copied or moved in memory while it
 * is unlocked and nobody uses it; the copy is a mutex of its own. Its memory may be freed as soon
 * as the caller has locked and unlocked it and knows that no other thread will use it any more,
 * also while the previous owner is still returning from its unlock.
 *
 * Memory from malloc(3) is aligned to 16 bytes only. Take memory for objects that contain a mutex
 * from aligned_alloc(3), with a multiple of 64 as size, or from C++17's operator new.
 *
 * No function here changes errno, allocates memory or is a cancellation point, and none is safe
 * in a signal handler that may interrupt the owner.
 *
 * Example:
 *	#include <ownline/mutex.h>
 *
 *	struct account {
 *		struct ownline_mutex mutex;
 *		long balance;
 *	};
 *
 *	static struct account account = {OWNLINE_MUTEX_INIT, 0};
 *
 *	void deposit(long amount)
 *	{
 *		ownline_mutex_lock(&account.mutex);
 *		account.balance += amount;
 *		ownline_mutex_unlock(&account.mutex);
 *	}
 *
 * See also: ownline(7) ownline_cond(3) ownline_stats(3) ownline_pthread(3)
 */
#ifndef OWNLINE_MUTEX_H
#define OWNLINE_MUTEX_H

#include <ownline/base.h>

#include <errno.h>
#include <sys/types.h>
#include <time.h>

/* The fields are private; they are here so that the compiler knows the size and the lock word. */
struct ownline_mutex {
	OWNLINE_ALIGNAS_(OWNLINE_CACHELINE) uint16_t waits_;
	uint8_t times_[2];
	uint32_t count_;
	int32_t owner_;
	uint16_t cpu_;
	uint8_t spin_;
	uint8_t generation_;
	int32_t kind_;
	uint32_t word_;
	uintptr_t queue_[2];
	uint64_t reserved_[3];
};
OWNLINE_STATIC_ASSERT_(sizeof(struct ownline_mutex) == OWNLINE_CACHELINE, "fills a cacheline");

/* An unlocked mutex, to initialise a variable or a member with. */
#define OWNLINE_MUTEX_INIT OWNLINE_MUTEX_INIT_KIND_(0)
#define OWNLINE_MUTEX_INIT_KIND_(kind)                                                             \
	{                                                                                          \
		0, {0, 0}, 0, 0, 0, 0, 0, (kind), 0, {0, 0},                                       \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}

OWNLINE_BEGIN_

/* For the inline functions below. */
OWNLINE_EXPORT_ void ownline_mutex_lock_slow_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_mutex_trylock_slow_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_mutex_lock_until_slow_(struct ownline_mutex *mutex, __clockid_t clock,
						   const struct timespec *time);
OWNLINE_EXPORT_ void ownline_mutex_unlock_slow_(struct ownline_mutex *mutex);

/* How many mutexes the thread took at once, from a start of its own. */
extern OWNLINE_EXPORT_ __thread uint32_t ownline_taken_ __attribute__((tls_model("initial-exec")));

/* Takes the mutex if its word is all zero. */
OWNLINE_FUNCTION_ int ownline_mutex_take_(struct ownline_mutex *mutex)
{
	uint32_t expected = 0;

	if (OWNLINE_SINGLE_THREADED_ && __atomic_load_n(&mutex->word_, __ATOMIC_RELAXED) == 0) {
		__atomic_store_n(&mutex->word_, 1u, __ATOMIC_RELAXED);
		return 1;
	}
	if (!__atomic_compare_exchange_n(&mutex->word_, &expected, 1u, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	/* Spinners look how much it grows. It is not counted here: with a load from the mutex the
	 * processor would fetch the line too early. */
	__atomic_store_n(&mutex->count_, ++ownline_taken_, __ATOMIC_RELAXED);
	return 1;
}

/* Releases the mutex if nobody has to be woken. */
OWNLINE_FUNCTION_ int ownline_mutex_release_(struct ownline_mutex *mutex)
{
	uint32_t expected = 1;

	__atomic_store_n(&mutex->owner_, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&mutex->cpu_, 0, __ATOMIC_RELAXED);
	if (OWNLINE_SINGLE_THREADED_ && __atomic_load_n(&mutex->word_, __ATOMIC_RELAXED) == 1) {
		__atomic_store_n(&mutex->word_, 0u, __ATOMIC_RELAXED);
		return 1;
	}
	return __atomic_compare_exchange_n(&mutex->word_, &expected, 0u, 0, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

/*
 * ownline_mutex_init: make memory an unlocked mutex.
 *
 * Does what OWNLINE_MUTEX_INIT does, at run time. Whatever the memory held before is forgotten;
 * no thread may be using it.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1) void ownline_mutex_init(struct ownline_mutex *mutex);

/*
 * ownline_mutex_destroy: end the use of a mutex.
 *
 * The name that was given to it is forgotten. Nothing else is attached to a mutex, so one that
 * has no name need not be destroyed.
 *
 * Returns: 0, or an error number; the mutex is unchanged then.
 * Errors:
 *	EBUSY	the mutex is locked, or a condition wait will lock it again
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1) int ownline_mutex_destroy(struct ownline_mutex *mutex);

/*
 * ownline_mutex_lock: take a mutex, waiting for as long as it takes.
 *
 * A thread that locks a mutex which it owns waits for ever. It cannot fail: where memory for a
 * waiter cannot be had, it sleeps and tries again.
 */
OWNLINE_FUNCTION_ OWNLINE_NONNULL_(1) void ownline_mutex_lock(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(!ownline_mutex_take_(mutex))) {
		ownline_mutex_lock_slow_(mutex);
		OWNLINE_SHOW_ACQUIRE_(&mutex->word_);
	}
}

/*
 * ownline_mutex_trylock: take a mutex if it is free.
 *
 * Returns: 0 when the caller owns the mutex now, or an error number.
 * Errors:
 *	EBUSY	the mutex is locked, by the caller or another thread
 */
OWNLINE_FUNCTION_
OWNLINE_MUST_CHECK_ OWNLINE_NONNULL_(1) int ownline_mutex_trylock(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(!ownline_mutex_take_(mutex))) {
		int error = ownline_mutex_trylock_slow_(mutex);

		OWNLINE_SHOW_ACQUIRE_(&mutex->word_);
		return error;
	}
	return 0;
}

/*
 * ownline_mutex_lock_until: take a mutex, waiting until a point in time.
 *
 * The time is absolute, in seconds and nanoseconds of the clock, which is CLOCK_MONOTONIC or
 * CLOCK_REALTIME. A mutex that is free is taken also after that time, and whatever the time says.
 *
 * Returns: 0 when the caller owns the mutex now, or an error number.
 * Errors:
 *	ETIMEDOUT	the clock reached the time before the mutex could be had
 *	EINVAL	the mutex is locked, and the clock is another or tv_nsec not in 0 to 999999999
 *
 * Example:
 *	struct timespec end;
 *
 *	clock_gettime(CLOCK_MONOTONIC, &end);
 *	end.tv_sec += 2;
 *	if (ownline_mutex_lock_until(&mutex, CLOCK_MONOTONIC, &end) == ETIMEDOUT)
 *		give_up();
 */
OWNLINE_FUNCTION_ OWNLINE_MUST_CHECK_ OWNLINE_NONNULL_(1, 3) int ownline_mutex_lock_until(
    struct ownline_mutex *mutex, __clockid_t clock, const struct timespec *time)
{
	if (OWNLINE_UNLIKELY_(!ownline_mutex_take_(mutex))) {
		int error = ownline_mutex_lock_until_slow_(mutex, clock, time);

		OWNLINE_SHOW_ACQUIRE_(&mutex->word_);
		return error;
	}
	return 0;
}

/*
 * ownline_mutex_unlock: release a mutex that the caller owns.
 *
 * The library does not touch the mutex after it has released it, unless threads wait for it.
 */
OWNLINE_FUNCTION_ OWNLINE_NONNULL_(1) void ownline_mutex_unlock(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(!ownline_mutex_release_(mutex))) {
		OWNLINE_SHOW_RELEASE_(&mutex->word_);
		ownline_mutex_unlock_slow_(mutex);
	}
}

/*
 * ownline_mutex_set_name: give a mutex a name for reports.
 *
 * The text is copied. A second call replaces the name; the empty text takes it away, as
 * ownline_mutex_destroy does. Reports show the first 20 bytes in text and all of it in JSON. A
 * mutex in static memory needs no name: ownline(1) finds the variable's.
 *
 * Returns: 0, or an error number; the mutex is not named then and works all the same.
 * Errors:
 *	ENOSPC	1024 locks and calling sites are known, or 16 kilobytes of names
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) int ownline_mutex_set_name(const struct ownline_mutex *mutex,
								  const char *name);

OWNLINE_END_

#endif
