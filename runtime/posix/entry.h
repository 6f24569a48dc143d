/* What the entry points share. */
#ifndef OWN_POSIX_ENTRY_H
#define OWN_POSIX_ENTRY_H

#if defined(__has_include) && __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
/* True while plain accesses do: as in glibc's own fast paths. */
#define own_single_threaded() (__libc_single_threaded != 0)
#else
#define own_single_threaded() false
#endif

#include <errno.h>

#include "posix/fallback.h"
#include "posix/layout.h"
#include "posix/names.h"

/* The functions behind the public names, for calls among the entry points. */
int own_posix_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int own_posix_mutex_destroy(pthread_mutex_t *mutex);
int own_posix_mutex_lock_from(pthread_mutex_t *mutex, const void *site);
int own_posix_mutex_clocklock_from(pthread_mutex_t *mutex, clockid_t clock,
				   const struct timespec *time, const void *site);
int own_posix_mutex_trylock(pthread_mutex_t *mutex);
int own_posix_mutex_unlock(pthread_mutex_t *mutex);
int own_posix_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int own_posix_cond_destroy(pthread_cond_t *cond);
int own_posix_cond_signal(pthread_cond_t *cond);
int own_posix_cond_broadcast(pthread_cond_t *cond);
int own_posix_cond_wait_from(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *site);
/* The clock as a number, or OWN_CLOCK_OF_COND for the variable's own. */
int own_posix_cond_clockwait_from(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				  const struct timespec *time, const void *site);
#define OWN_CLOCK_OF_COND (-1)

/* After the core has taken the mutex for the calling thread: the kind's own bookkeeping. */
static inline void own_posix_mutex_now_held(struct own_mutex *mutex)
{
	int kind = mutex->kind & OWN_KIND_MASK;

	own_self.held = kind == OWN_KIND_NORMAL || kind == OWN_KIND_ADAPTIVE ? mutex : NULL;
	if (kind == OWN_KIND_RECURSIVE)
		own_store_relaxed(&mutex->count, 1);
}

#endif
