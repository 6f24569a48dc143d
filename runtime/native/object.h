/* How the public objects lie over the core's, and what the functions of this layer share. */
#ifndef OWN_NATIVE_OBJECT_H
#define OWN_NATIVE_OBJECT_H

#include <errno.h>
#include <pthread.h>

#include "core/cond.h"
#include "core/mutex.h"

#include <ownline/cond.h>
#include <ownline/mutex.h>

#define OWN_SAME_PLACE(public_type, public_field, core_type, core_field)                           \
	_Static_assert(offsetof(struct public_type, public_field) ==                               \
			       offsetof(struct core_type, core_field) &&                           \
			   sizeof(((struct public_type *)0)->public_field) ==                      \
			       sizeof(((struct core_type *)0)->core_field),                        \
		       "the public " #public_field " is the core's " #core_field)

OWN_SAME_PLACE(ownline_mutex, word_, own_mutex, word);
OWN_SAME_PLACE(ownline_mutex, count_, own_mutex, count);
OWN_SAME_PLACE(ownline_mutex, owner_, own_mutex, owner);
OWN_SAME_PLACE(ownline_mutex, cpu_, own_mutex, cpu);
OWN_SAME_PLACE(ownline_mutex, spin_, own_mutex, spin);
OWN_SAME_PLACE(ownline_mutex, kind_, own_mutex, kind);
OWN_SAME_PLACE(ownline_mutex, queue_, own_mutex, queue);
_Static_assert(offsetof(struct ownline_mutex, reserved_) == sizeof(struct own_mutex), "mutex");
_Static_assert(sizeof(struct ownline_mutex) == OWN_CACHELINE, "a mutex fills a line");
_Static_assert(_Alignof(struct ownline_mutex) == OWN_CACHELINE, "a mutex has its own line");

OWN_SAME_PLACE(ownline_cond, word_, own_cond, word);
OWN_SAME_PLACE(ownline_cond, spin_, own_cond, spin);
OWN_SAME_PLACE(ownline_cond, queue_, own_cond, queue);
OWN_SAME_PLACE(ownline_cond, flags_, own_cond, flags);
_Static_assert(offsetof(struct ownline_cond, reserved_end_) == sizeof(struct own_cond), "cond");
_Static_assert(sizeof(struct ownline_cond) == OWN_CACHELINE, "a condition variable fills a line");
_Static_assert(_Alignof(struct ownline_cond) == OWN_CACHELINE, "a variable has its own line");

/* The headers' inline steps know these values. */
_Static_assert(CLOCK_REALTIME == 0 && CLOCK_MONOTONIC == 1, "as in the headers");
_Static_assert(OWN_LOCKED == 1 && OWNLINE_CACHELINE == OWN_CACHELINE, "as in the headers");

#if defined(__has_include) && __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define own_native_single() (__libc_single_threaded != 0)
#else
#define own_native_single() false
#endif

static inline struct own_mutex *own_native_mutex(struct ownline_mutex *mutex)
{
	return (struct own_mutex *)(void *)mutex;
}

static inline struct own_cond *own_native_cond(struct ownline_cond *cond)
{
	return (struct own_cond *)(void *)cond;
}

/* Takes a mutex for which no kind has to be looked at. Returns 0 or ETIMEDOUT. */
static inline int own_native_lock(struct own_mutex *mutex, const struct own_deadline *deadline,
				  const void *site)
{
	if (own_mutex_try_fast(mutex, own_native_single())) {
		own_mutex_taken(mutex);
		return 0;
	}
	return own_mutex_lock_slow(mutex, deadline, site);
}

static inline void own_native_unlock(struct own_mutex *mutex)
{
	own_mutex_clear_owner(mutex);
	if (!own_mutex_unlock_fast(mutex, own_native_single()))
		own_mutex_unlock_slow(mutex);
}

/* One wait with cancellation deferred; returns as own_cond_wait does. */
int own_native_wait(struct own_cond *cond, const struct own_relock *relock,
		    const struct own_deadline *deadline, const void *site);

#endif
