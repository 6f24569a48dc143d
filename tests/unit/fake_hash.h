/* The kernel's futex hash for unit tests, linked in place of sys/futex_hash.c. */
#ifndef OWN_TESTS_UNIT_FAKE_HASH_H
#define OWN_TESTS_UNIT_FAKE_HASH_H

#include "sys/futex_hash.h"

/* What own_futex_hash answers; the first is the number of calls so far. NULL: address / 4. */
extern uint32_t (*fake_hash)(unsigned call, const volatile void *word);

/* What own_futex_hash_slots answers. */
extern int fake_hash_slots;

#endif
