/*
 * The condition variable: 48 bytes, all zero is valid. `flags` stands where glibc keeps its own, so
 * that a process-shared variable, which is glibc's, is told by the same bit.
 */
#ifndef OWN_CORE_COND_WORD_H
#define OWN_CORE_COND_WORD_H

#include "core/mutex_word.h"

#define OWN_COND_SHARED	   1u
#define OWN_COND_MONOTONIC 2u

/* Bits of the word: WAITERS, QUEUE and the generation, as in mutex_word.h. */
struct own_cond {
	_Atomic uint32_t word;
	_Atomic uint8_t spin;	       /* how often spinning failed, spin.h */
	_Atomic uint8_t passed_over;   /* a waiter is, for long: turns.h */
	_Atomic uint8_t rests_in_vain; /* the last ones; at most a few */
	uint8_t reserved;
	struct own_queue queue;
	_Atomic uint64_t rested; /* ticks: when a waiter last did */
	uint32_t unused_too;
	uint32_t flags;
	uint64_t unused_end;
};
_Static_assert(sizeof(struct own_cond) == 48, "fits a pthread_cond_t");
_Static_assert(offsetof(struct own_cond, flags) == 36, "where glibc has pshared and clock");

#endif
