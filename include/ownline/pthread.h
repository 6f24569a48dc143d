/*
 * ownline_pthread: the pthread names of one source file, on native locks.
 *
 * A source file that includes <ownline/pthread.h> in the place of <pthread.h>, and before other
 * headers of its own project, gets other meanings for the names of mutexes and condition
 * variables: pthread_mutex_t becomes struct ownline_mutex and pthread_cond_t struct ownline_cond,
 * each alone on its cacheline, and the calls become the native ones, which lock and unlock in
 * place. No other line has to change.
 *
 * All files that see a structure with such a lock must include it, since the size and place of
 * the members change. Files that only get the address of a lock may use plain pthread calls on
 * it, as the library's own pthread calls understand native locks.
 *
 * Kinds: default, normal, adaptive (as normal), recursive and error-checking mutexes, and
 * condition variables with either clock. Others are refused: pthread_mutex_init and
 * pthread_cond_init return ENOTSUP for attributes that ask for a process-shared or robust object
 * or for a priority protocol, and pthread_mutex_consistent, pthread_mutex_getprioceiling and
 * pthread_mutex_setprioceiling return EINVAL, as they do for any mutex without these attributes.
 * Errors are otherwise those of the C library.
 *
 * Not covered: C11 mtx_t and cnd_t, std::mutex, read-write locks, barriers, spin locks and
 * semaphores; they are what they were. C++'s standard headers that use pthread names are included
 * by this header first, so that they keep their meaning. A condition wait is a cancellation
 * point, as before.
 *
 * Objects on the stack, in static memory and from C++17's operator new are aligned by the
 * compiler. For memory from malloc(3), which is aligned to 16 bytes, use aligned_alloc(3) with a
 * multiple of 64; a lock that is not aligned works, but may share a line with its neighbour, and
 * compilers may assume that the structure around it is aligned.
 *
 * Example:
 *	#include <ownline/pthread.h>
 *
 *	static pthread_mutex_t mutexes[64]; // 64 bytes each, on a line each
 *
 *	int main(void)
 *	{
 *		for (int i = 0; i < 64; i++)
 *			pthread_mutex_init(&mutexes[i], NULL);
 *		return pthread_mutex_lock(&mutexes[0]);
 *	}
 *
 * See also: ownline(7) ownline_mutex(3) ownline_cond(3) pthreads(7)
 */
#ifndef OWNLINE_PTHREAD_H
#define OWNLINE_PTHREAD_H

/* Everything that has to see the C library's own names comes before the definitions below. */
#include <pthread.h>
#include <threads.h>

#ifdef __cplusplus
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#endif

#include <ownline/cond.h>
#include <ownline/mutex.h>

OWNLINE_BEGIN_

/* The kernel's numbers: strict C11 hides the names. */
#define OWNLINE_REALTIME_  0
#define OWNLINE_MONOTONIC_ 1

typedef struct ownline_mutex ownline_pthread_mutex_t_;
typedef struct ownline_cond ownline_pthread_cond_t_;

/* Every kind, out of line. */
OWNLINE_EXPORT_ int ownline_pthread_mutex_init_(struct ownline_mutex *mutex,
						const pthread_mutexattr_t *attributes);
OWNLINE_EXPORT_ int ownline_pthread_mutex_destroy_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_kind_lock_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_kind_trylock_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_kind_lock_until_(struct ownline_mutex *mutex, __clockid_t clock,
					     const struct timespec *time);
OWNLINE_EXPORT_ int ownline_kind_unlock_(struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_pthread_cond_init_(struct ownline_cond *cond,
					       const pthread_condattr_t *attributes);
OWNLINE_EXPORT_ int ownline_pthread_cond_destroy_(struct ownline_cond *cond);
OWNLINE_EXPORT_ int ownline_kind_wait_(struct ownline_cond *cond, struct ownline_mutex *mutex);
OWNLINE_EXPORT_ int ownline_kind_wait_until_(struct ownline_cond *cond, struct ownline_mutex *mutex,
					     __clockid_t clock, const struct timespec *time);

OWNLINE_FUNCTION_ int ownline_pthread_mutex_lock_(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_lock_(mutex);
	ownline_mutex_lock(mutex);
	return 0;
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_trylock_(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_trylock_(mutex);
	return ownline_mutex_trylock(mutex);
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_clocklock_(struct ownline_mutex *mutex,
						       __clockid_t clock,
						       const struct timespec *time)
{
	if (clock != OWNLINE_REALTIME_ && clock != OWNLINE_MONOTONIC_)
		return EINVAL;
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_lock_until_(mutex, clock, time);
	return ownline_mutex_lock_until(mutex, clock, time);
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_timedlock_(struct ownline_mutex *mutex,
						       const struct timespec *time)
{
	return ownline_pthread_mutex_clocklock_(mutex, OWNLINE_REALTIME_, time);
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_unlock_(struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_unlock_(mutex);
	ownline_mutex_unlock(mutex);
	return 0;
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_consistent_(struct ownline_mutex *mutex)
{
	(void)mutex;
	return EINVAL;
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_getprioceiling_(const struct ownline_mutex *mutex,
							    int *ceiling)
{
	(void)mutex;
	(void)ceiling;
	return EINVAL;
}

OWNLINE_FUNCTION_ int ownline_pthread_mutex_setprioceiling_(struct ownline_mutex *mutex,
							    int ceiling, int *old)
{
	(void)mutex;
	(void)ceiling;
	(void)old;
	return EINVAL;
}

OWNLINE_FUNCTION_ int ownline_pthread_cond_wait_(struct ownline_cond *cond,
						 struct ownline_mutex *mutex)
{
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_wait_(cond, mutex);
	ownline_cond_wait(cond, mutex);
	return 0;
}

OWNLINE_FUNCTION_ int ownline_pthread_cond_clockwait_(struct ownline_cond *cond,
						      struct ownline_mutex *mutex,
						      __clockid_t clock,
						      const struct timespec *time)
{
	if (OWNLINE_UNLIKELY_(mutex->kind_ != 0))
		return ownline_kind_wait_until_(cond, mutex, clock, time);
	return ownline_cond_wait_until(cond, mutex, clock, time);
}

OWNLINE_FUNCTION_ int ownline_pthread_cond_timedwait_(struct ownline_cond *cond,
						      struct ownline_mutex *mutex,
						      const struct timespec *time)
{
	__clockid_t clock = cond->flags_ != 0 ? OWNLINE_MONOTONIC_ : OWNLINE_REALTIME_;

	return ownline_pthread_cond_clockwait_(cond, mutex, clock, time);
}

OWNLINE_FUNCTION_ int ownline_pthread_cond_signal_(struct ownline_cond *cond)
{
	ownline_cond_signal(cond);
	return 0;
}

OWNLINE_FUNCTION_ int ownline_pthread_cond_broadcast_(struct ownline_cond *cond)
{
	ownline_cond_broadcast(cond);
	return 0;
}

OWNLINE_END_

#undef PTHREAD_MUTEX_INITIALIZER
#undef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#undef PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#undef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#undef PTHREAD_COND_INITIALIZER

#define PTHREAD_MUTEX_INITIALIZER		OWNLINE_MUTEX_INIT
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP	OWNLINE_MUTEX_INIT_KIND_(1)
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP OWNLINE_MUTEX_INIT_KIND_(2)
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP	OWNLINE_MUTEX_INIT
#define PTHREAD_COND_INITIALIZER		OWNLINE_COND_INIT

#define pthread_mutex_t		     ownline_pthread_mutex_t_
#define pthread_mutex_init	     ownline_pthread_mutex_init_
#define pthread_mutex_destroy	     ownline_pthread_mutex_destroy_
#define pthread_mutex_lock	     ownline_pthread_mutex_lock_
#define pthread_mutex_trylock	     ownline_pthread_mutex_trylock_
#define pthread_mutex_timedlock	     ownline_pthread_mutex_timedlock_
#define pthread_mutex_clocklock	     ownline_pthread_mutex_clocklock_
#define pthread_mutex_unlock	     ownline_pthread_mutex_unlock_
#define pthread_mutex_consistent     ownline_pthread_mutex_consistent_
#define pthread_mutex_consistent_np  ownline_pthread_mutex_consistent_
#define pthread_mutex_getprioceiling ownline_pthread_mutex_getprioceiling_
#define pthread_mutex_setprioceiling ownline_pthread_mutex_setprioceiling_

#define pthread_cond_t	       ownline_pthread_cond_t_
#define pthread_cond_init      ownline_pthread_cond_init_
#define pthread_cond_destroy   ownline_pthread_cond_destroy_
#define pthread_cond_wait      ownline_pthread_cond_wait_
#define pthread_cond_timedwait ownline_pthread_cond_timedwait_
#define pthread_cond_clockwait ownline_pthread_cond_clockwait_
#define pthread_cond_signal    ownline_pthread_cond_signal_
#define pthread_cond_broadcast ownline_pthread_cond_broadcast_

#endif
