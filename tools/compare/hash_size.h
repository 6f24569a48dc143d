/* What `ownline compare` and the library that it preloads to set the futex hash tell each other. */
#ifndef OWN_COMPARE_HASH_SIZE_H
#define OWN_COMPARE_HASH_SIZE_H

/* How many slots: 0 for the global hash, or a power of two. */
#define OWN_HASH_SLOTS_ENVIRONMENT "OWNLINE_HASH_SLOTS"
/* A file to which the first process appends "ERRNO SLOTS\n"; unset: nobody wants to know. */
#define OWN_HASH_STATUS_ENVIRONMENT "OWNLINE_HASH_STATUS"

/* Older kernel headers lack these. */
#define OWN_PR_FUTEX_HASH	    78
#define OWN_PR_FUTEX_HASH_SET_SLOTS 1UL
#define OWN_PR_FUTEX_HASH_GET_SLOTS 2UL
#define OWN_HASH_MAX_SLOTS	    (1L << 30) /* the kernel cuts the number to 32 bits */

#endif
