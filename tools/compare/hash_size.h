/* What `ownline compare` and the library that it preloads to set the futex hash tell each other. */
#ifndef OWN_COMPARE_HASH_SIZE_H
#define OWN_COMPARE_HASH_SIZE_H

/* How many slots: 0 for the global hash, or a power of two. */
#define OWN_HASH_SLOTS_ENVIRONMENT "OWNLINE_HASH_SLOTS"
/* A file to which the first process appends "ERRNO SLOTS\n"; unset: nobody wants to know. */
#define OWN_HASH_STATUS_ENVIRONMENT "OWNLINE_HASH_STATUS"

/* The kernel takes 32 bits of the number, and has no room for as many. */
#define OWN_HASH_MAX_SLOTS (1L << 30)

#endif
