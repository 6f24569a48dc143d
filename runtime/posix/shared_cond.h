/*
 * Process-shared condition variables that are waited on with a mutex which glibc does not know:
 * such a mutex is private, so all its waiters are in this process, and wait on a local condition
 * variable kept in a table under the shared one's address. Whoever signals the shared variable here
 * signals the local one as well.
 */
#ifndef OWN_POSIX_SHARED_COND_H
#define OWN_POSIX_SHARED_COND_H

#include <pthread.h>

#include "core/cond.h"

/* The local variable for one wait, or NULL when the table is full. */
struct own_cond *own_shared_cond_enter(pthread_cond_t *shared);
void own_shared_cond_leave(struct own_cond *local);

/* Calls wake for the local variable, if somebody waits there. */
void own_shared_cond_wake(pthread_cond_t *shared, void (*wake)(struct own_cond *local));

#endif
