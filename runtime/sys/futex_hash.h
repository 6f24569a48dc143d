/*
 * Which bucket of the kernel's private futex hash a word falls into (Linux 6.17 and later): the
 * kernel hashes the page and the offset of the word with jhash2, without a seed, and keeps the low
 * bits. Words that differ modulo 16 slots therefore differ in every larger table too.
 */
#ifndef OWN_SYS_FUTEX_HASH_H
#define OWN_SYS_FUTEX_HASH_H

#include <stdint.h>

/* The full 32-bit hash; the bucket is its value modulo the number of slots. */
uint32_t own_futex_hash(const volatile void *word);

/* `slots` is a power of two. */
static inline uint32_t own_futex_bucket(const volatile void *word, uint32_t slots)
{
	return own_futex_hash(word) & (slots - 1);
}

/*
 * Slots of this process's private hash: 0 when it has none (single-threaded, or the global hash is
 * in use); -EINVAL on a kernel without it.
 */
int own_futex_hash_slots(void);

/*
 * Gives the process a private hash of `slots` (a power of two from 2 up), or, with 0, the global
 * one until it ends. The first call of a process takes microseconds, and more where the table is
 * large; any other tens of milliseconds, for it waits until nobody uses the old table.
 * Returns 0, -EINVAL (a kernel without it), -EBUSY (after a 0), -ENOMEM.
 */
int own_futex_hash_set_slots(uint32_t slots);

/* Why one of the two above failed, and what to do: a text for people. */
const char *own_futex_hash_why(int error);

#endif
