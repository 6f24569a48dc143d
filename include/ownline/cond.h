/*
 * ownline_cond: a condition variable that fills a cacheline.
 *
 * Threads wait on a struct ownline_cond, with a struct ownline_mutex that they own, until another
 * thread signals it. As with pthread_cond_wait(3), a wait may also end for no reason: look at the
 * condition again in a loop. A thread that had begun to wait before a signal was sent may take
 * it; one that began later never does. A signal is never lost to a wait that times out or is
 * cancelled.
 *
 * Different waits on one condition variable may use different mutexes and clocks. A waiter looks
 * at a word of its own for a while before it waits in the kernel, if that has lately helped with
 * this variable.
 *
 * Memory that is all zero is a condition variable without waiters. It is private to its process.
 * Its memory may be freed after ownline_cond_destroy, which may be called right after a broadcast
 * that woke the last waiters.
 *
 * Both waits are cancellation points (pthread_cancel(3)): a waiter that is cancelled owns the
 * mutex again before its clean-up handlers run. No function here changes errno or allocates
 * memory.
 *
 * Example:
 *	#include <ownline/cond.h>
 *
 *	static struct ownline_mutex mutex = OWNLINE_MUTEX_INIT;
 *	static struct ownline_cond filled = OWNLINE_COND_INIT;
 *	static int items;
 *
 *	void put(void)
 *	{
 *		ownline_mutex_lock(&mutex);
 *		items++;
 *		ownline_mutex_unlock(&mutex);
 *		ownline_cond_signal(&filled);
 *	}
 *
 *	void take(void)
 *	{
 *		ownline_mutex_lock(&mutex);
 *		while (items == 0)
 *			ownline_cond_wait(&filled, &mutex);
 *		items--;
 *		ownline_mutex_unlock(&mutex);
 *	}
 *
 * See also: ownline(7) ownline_mutex(3) ownline_stats(3) ownline_pthread(3)
 */
#ifndef OWNLINE_COND_H
#define OWNLINE_COND_H

#include <ownline/mutex.h>

/* The fields are private. */
struct ownline_cond {
	OWNLINE_ALIGNAS_(OWNLINE_CACHELINE) uint32_t word_;
	uint8_t spin_;
	uint8_t reserved_[3];
	uintptr_t queue_[2];
	uint64_t unused_;
	uint32_t unused_too_;
	uint32_t flags_;
	uint64_t unused_end_;
	uint64_t reserved_end_[2];
};
OWNLINE_STATIC_ASSERT_(sizeof(struct ownline_cond) == OWNLINE_CACHELINE, "fills a cacheline");

/* A condition variable without waiters, to initialise a variable or a member with. */
#define OWNLINE_COND_INIT                                                                          \
	{                                                                                          \
		0, 0, {0, 0, 0}, {0, 0}, 0, 0, 0, 0,                                               \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

OWNLINE_BEGIN_

/* For the inline functions below. */
OWNLINE_EXPORT_ void ownline_cond_wait_slow_(struct ownline_cond *cond,
					     struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_cond_wait_until_slow_(struct ownline_cond *cond,
						  struct ownline_mutex *mutex, __clockid_t clock,
						  const struct timespec *time);
OWNLINE_EXPORT_ void ownline_cond_signal_slow_(struct ownline_cond *cond);
OWNLINE_EXPORT_ void ownline_cond_broadcast_slow_(struct ownline_cond *cond);

/*
 * ownline_cond_init: make memory a condition variable without waiters.
 *
 * Does what OWNLINE_COND_INIT does, at run time. Whatever the memory held before is forgotten; no
 * thread may be using it.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1) void ownline_cond_init(struct ownline_cond *cond);

/*
 * ownline_cond_destroy: end the use of a condition variable.
 *
 * Every waiter must have been signalled; it need not have returned. The memory may be freed then.
 * If a waiter is in the middle of leaving, because its time is up or it was cancelled, the call
 * waits for it. The name that was given to the variable is forgotten.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1) void ownline_cond_destroy(struct ownline_cond *cond);

/*
 * ownline_cond_wait: release a mutex, wait for a signal, and take the mutex again.
 *
 * The caller owns the mutex, before and after. Releasing it and beginning to wait are one step: a
 * signal that is sent by a thread which has locked the mutex since is not missed. A cancellation
 * point.
 */
OWNLINE_FUNCTION_ OWNLINE_NONNULL_(1, 2) void ownline_cond_wait(struct ownline_cond *cond,
								struct ownline_mutex *mutex)
{
	OWNLINE_SHOW_RELEASE_(&mutex->word_);
	ownline_cond_wait_slow_(cond, mutex);
	OWNLINE_SHOW_ACQUIRE_(&mutex->word_);
}

/*
 * ownline_cond_wait_until: wait for a signal until a point in time.
 *
 * As ownline_cond_wait, and it ends also when the clock reaches the time. The time is absolute,
 * in seconds and nanoseconds of the clock, which is CLOCK_MONOTONIC or CLOCK_REALTIME. Taking the
 * mutex again may last longer. A cancellation point.
 *
 * Returns: 0 after a signal or for no reason, or an error number; the caller owns the mutex
 * always.
 * Errors:
 *	ETIMEDOUT	the clock reached the time, and the caller took no signal
 *	EINVAL	the clock is another one, or tv_nsec is not in 0 to 999999999; it did not wait
 *
 * Example:
 *	struct timespec end;
 *	int error = 0;
 *
 *	clock_gettime(CLOCK_MONOTONIC, &end);
 *	end.tv_sec += 2;
 *	ownline_mutex_lock(&mutex);
 *	while (items == 0 && error == 0)
 *		error = ownline_cond_wait_until(&filled, &mutex, CLOCK_MONOTONIC, &end);
 */
OWNLINE_FUNCTION_ OWNLINE_MUST_CHECK_ OWNLINE_NONNULL_(1, 2, 4) int ownline_cond_wait_until(
    struct ownline_cond *cond, struct ownline_mutex *mutex, __clockid_t clock,
    const struct timespec *time)
{
	int error;

	OWNLINE_SHOW_RELEASE_(&mutex->word_);
	error = ownline_cond_wait_until_slow_(cond, mutex, clock, time);
	OWNLINE_SHOW_ACQUIRE_(&mutex->word_);
	return error;
}

/*
 * ownline_cond_signal: end the wait of one waiter, if there is one.
 *
 * The caller may own the mutex or not. Without waiters it costs one look at the variable.
 */
OWNLINE_FUNCTION_ OWNLINE_NONNULL_(1) void ownline_cond_signal(struct ownline_cond *cond)
{
	if (__atomic_load_n(&cond->word_, __ATOMIC_RELAXED) != 0)
		ownline_cond_signal_slow_(cond);
}

/*
 * ownline_cond_broadcast: end the waits of all waiters.
 *
 * The caller may own the mutex or not. Where there are very many, the first are woken at once and
 * the others one by one, as the mutex comes free.
 */
OWNLINE_FUNCTION_ OWNLINE_NONNULL_(1) void ownline_cond_broadcast(struct ownline_cond *cond)
{
	if (__atomic_load_n(&cond->word_, __ATOMIC_RELAXED) != 0)
		ownline_cond_broadcast_slow_(cond);
}

/*
 * ownline_cond_set_name: give a condition variable a name for reports.
 *
 * As ownline_mutex_set_name.
 *
 * Returns: 0, or an error number; the variable is not named then and works all the same.
 * Errors:
 *	ENOSPC	1024 locks and calling sites are known, or 16 kilobytes of names
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) int ownline_cond_set_name(const struct ownline_cond *cond,
								 const char *name);

OWNLINE_END_

#endif
