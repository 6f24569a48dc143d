/*
 * Every futex call of the runtime. Core reaches the kernel through this header alone, so that the
 * unit tests can link a fake in its place.
 *
 * All words are private to the process. No function changes errno.
 */
#ifndef OWN_SYS_FUTEX_H
#define OWN_SYS_FUTEX_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/clock.h"

/*
 * Sleeps while *word == expected, at most until the deadline (NULL: for ever). Returns 0 when woken
 * (also spuriously), -EAGAIN when the word had changed before the kernel compared it (a mismatch),
 * -ETIMEDOUT, or -EINTR after a signal handler has run.
 */
OWN_MUST_CHECK int own_futex_wait(_Atomic uint32_t *word, uint32_t expected,
				  const struct own_deadline *deadline);

/* Wakes at most `count` threads; returns how many were woken, or -errno. */
int own_futex_wake(_Atomic uint32_t *word, int count);

#endif
