/*
 * Short names for the C11 atomics used here, and the processor's hint for spin loops.
 * The memory order is part of each name: a reader sees it without scrolling right.
 */
#ifndef OWN_BASE_ATOMIC_H
#define OWN_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define own_load_relaxed(object)	 atomic_load_explicit(object, memory_order_relaxed)
#define own_load_acquire(object)	 atomic_load_explicit(object, memory_order_acquire)
#define own_store_relaxed(object, value) atomic_store_explicit(object, value, memory_order_relaxed)
#define own_store_release(object, value) atomic_store_explicit(object, value, memory_order_release)

#define own_exchange_acq_rel(object, value)                                                        \
	atomic_exchange_explicit(object, value, memory_order_acq_rel)
#define own_fetch_add_relaxed(object, value)                                                       \
	atomic_fetch_add_explicit(object, value, memory_order_relaxed)
#define own_fetch_and_release(object, value)                                                       \
	atomic_fetch_and_explicit(object, value, memory_order_release)

#define own_cas_acquire(object, expected, desired)                                                 \
	atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_acquire,   \
						memory_order_relaxed)
#define own_cas_release(object, expected, desired)                                                 \
	atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_release,   \
						memory_order_relaxed)
#define own_cas_acq_rel(object, expected, desired)                                                 \
	atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_acq_rel,   \
						memory_order_acquire)
#define own_cas_relaxed(object, expected, desired)                                                 \
	atomic_compare_exchange_strong_explicit(object, expected, desired, memory_order_relaxed,   \
						memory_order_relaxed)

/* For counters that one thread writes and others read: no locked instruction is needed. */
#define own_add_single_writer(object, value)                                                       \
	own_store_relaxed(object, own_load_relaxed(object) + (value))

static inline void own_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

#endif
