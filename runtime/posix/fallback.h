/*
 * glibc's own functions, for the objects that stay with it. Found by their version (never by plain
 * dlsym, which may return an old one), from the constructor or on the first use by such an object;
 * never on a path of a lock of ours.
 */
#ifndef OWN_POSIX_FALLBACK_H
#define OWN_POSIX_FALLBACK_H

#include <pthread.h>
#include <time.h>

struct own_fallback {
	int (*mutex_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
	int (*mutex_destroy)(pthread_mutex_t *);
	int (*mutex_lock)(pthread_mutex_t *);
	int (*mutex_trylock)(pthread_mutex_t *);
	int (*mutex_timedlock)(pthread_mutex_t *, const struct timespec *);
	int (*mutex_clocklock)(pthread_mutex_t *, clockid_t, const struct timespec *);
	int (*mutex_unlock)(pthread_mutex_t *);
	int (*mutex_consistent)(pthread_mutex_t *);
	int (*mutex_getprioceiling)(const pthread_mutex_t *, int *);
	int (*mutex_setprioceiling)(pthread_mutex_t *, int, int *);
	int (*cond_init)(pthread_cond_t *, const pthread_condattr_t *);
	int (*cond_destroy)(pthread_cond_t *);
	int (*cond_wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	int (*cond_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
			      const struct timespec *);
	int (*cond_signal)(pthread_cond_t *);
	int (*cond_broadcast)(pthread_cond_t *);
	int (*cancel)(pthread_t);
};

/* Never NULL; ends the process with a message if glibc lacks a function. clocklock and clockwait
 * may be NULL on a glibc without them. */
const struct own_fallback *own_fallback(void);

#endif
