/* Option futex_hash: the size of the kernel's futex hash for this process. */
#ifndef OWN_CORE_HASH_OPTION_H
#define OWN_CORE_HASH_OPTION_H

/*
 * Asks the kernel for what option futex_hash says; a refusal is one line on standard error, and the
 * kernel's own choice stays. Once for each process: from the library's constructor, and in a child
 * from the fork handler, because a child starts without a table. Never on a lock path.
 */
void own_hash_option_apply(void);

#endif
