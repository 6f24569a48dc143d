/*
 * How the core's objects lie over the C library's. The kind of a mutex and the flags of a condition
 * variable stand where glibc has them, so objects that stay with glibc are told by the same bits,
 * and those of ours look to a debugger like glibc's.
 */
#ifndef OWN_POSIX_LAYOUT_H
#define OWN_POSIX_LAYOUT_H

#include <pthread.h>
#include <threads.h>

#include "core/cond.h"
#include "core/mutex.h"

_Static_assert(sizeof(struct own_mutex) <= sizeof(pthread_mutex_t), "mutex fits");
_Static_assert(sizeof(struct own_cond) <= sizeof(pthread_cond_t), "condition variable fits");
_Static_assert(_Alignof(pthread_mutex_t) >= _Alignof(struct own_mutex), "mutex is aligned");
_Static_assert(_Alignof(pthread_cond_t) >= _Alignof(struct own_cond), "condition is aligned");
_Static_assert(sizeof(mtx_t) >= sizeof(struct own_mutex), "C11 mutex fits");
_Static_assert(sizeof(cnd_t) >= sizeof(struct own_cond), "C11 condition variable fits");
_Static_assert(offsetof(struct own_mutex, count) == 4, "glibc's __count");
_Static_assert(offsetof(struct own_mutex, owner) == 8, "glibc's __owner");
_Static_assert(offsetof(struct own_mutex, kind) == 16, "glibc's __kind");

#define OWN_KIND_NORMAL	    0
#define OWN_KIND_RECURSIVE  1
#define OWN_KIND_ERRORCHECK 2
#define OWN_KIND_ADAPTIVE   3
#define OWN_KIND_MASK	    3
/* Robust, prio-inherit, prio-protect, process-shared: glibc's. A destroyed mutex (-1) as well: it
 * answers EINVAL. */
#define OWN_KIND_DELEGATED 0xf0
#define OWN_KIND_DESTROYED (-1)

static inline struct own_mutex *own_mutex_of(pthread_mutex_t *mutex)
{
	return (struct own_mutex *)(void *)mutex;
}

static inline struct own_cond *own_cond_of(pthread_cond_t *cond)
{
	return (struct own_cond *)(void *)cond;
}

static inline bool own_mutex_is_normal(const struct own_mutex *mutex)
{
	return (mutex->kind & 0xff) == OWN_KIND_NORMAL;
}

static inline bool own_mutex_is_delegated(const struct own_mutex *mutex)
{
	return (mutex->kind & OWN_KIND_DELEGATED) != 0;
}

#endif
