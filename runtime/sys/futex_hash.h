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

#endif
