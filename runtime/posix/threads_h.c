/* C11 <threads.h>: mtx_* and cnd_* over the same objects. */
#include <threads.h>

#include "posix/entry.h"

static int to_thrd(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)(void *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
	return (pthread_cond_t *)(void *)cond;
}

int own_mtx_init(mtx_t *mutex, int type)
{
	(void)own_posix_mutex_init(mutex_of(mutex), NULL); /* cannot fail without attributes */
	/* As glibc: what is no type is a plain one. */
	if (type == (mtx_plain | mtx_recursive) || type == (mtx_timed | mtx_recursive))
		own_mutex_of(mutex_of(mutex))->kind = OWN_KIND_RECURSIVE;
	return thrd_success;
}

void own_mtx_destroy(mtx_t *mutex)
{
	(void)own_posix_mutex_destroy(mutex_of(mutex));
}

int own_mtx_lock(mtx_t *mutex)
{
	return to_thrd(own_posix_mutex_lock_from(mutex_of(mutex), OWN_CALLER()));
}

int own_mtx_trylock(mtx_t *mutex)
{
	return to_thrd(own_posix_mutex_trylock(mutex_of(mutex)));
}

int own_mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
	return to_thrd(
	    own_posix_mutex_clocklock_from(mutex_of(mutex), CLOCK_REALTIME, time, OWN_CALLER()));
}

int own_mtx_unlock(mtx_t *mutex)
{
	return to_thrd(own_posix_mutex_unlock(mutex_of(mutex)));
}

int own_cnd_init(cnd_t *cond)
{
	return to_thrd(own_posix_cond_init(cond_of(cond), NULL));
}

void own_cnd_destroy(cnd_t *cond)
{
	(void)own_posix_cond_destroy(cond_of(cond));
}

int own_cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return to_thrd(own_posix_cond_wait_from(cond_of(cond), mutex_of(mutex), OWN_CALLER()));
}

int own_cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
		      const struct timespec *restrict time)
{
	return to_thrd(own_posix_cond_clockwait_from(cond_of(cond), mutex_of(mutex), CLOCK_REALTIME,
						     time, OWN_CALLER()));
}

int own_cnd_signal(cnd_t *cond)
{
	return to_thrd(own_posix_cond_signal(cond_of(cond)));
}

int own_cnd_broadcast(cnd_t *cond)
{
	return to_thrd(own_posix_cond_broadcast(cond_of(cond)));
}

OWN_NAME(own_mtx_init, mtx_init, OWN_SINCE_2_28);
OWN_NAME(own_mtx_destroy, mtx_destroy, OWN_SINCE_2_28);
OWN_NAME(own_mtx_lock, mtx_lock, OWN_SINCE_2_28);
OWN_NAME(own_mtx_trylock, mtx_trylock, OWN_SINCE_2_28);
OWN_NAME(own_mtx_timedlock, mtx_timedlock, OWN_SINCE_2_28);
OWN_NAME(own_mtx_unlock, mtx_unlock, OWN_SINCE_2_28);
OWN_NAME(own_cnd_init, cnd_init, OWN_SINCE_2_28);
OWN_NAME(own_cnd_destroy, cnd_destroy, OWN_SINCE_2_28);
OWN_NAME(own_cnd_wait, cnd_wait, OWN_SINCE_2_28);
OWN_NAME(own_cnd_timedwait, cnd_timedwait, OWN_SINCE_2_28);
OWN_NAME(own_cnd_signal, cnd_signal, OWN_SINCE_2_28);
OWN_NAME(own_cnd_broadcast, cnd_broadcast, OWN_SINCE_2_28);
