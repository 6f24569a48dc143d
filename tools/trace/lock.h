/* The time in the bucket lock: see lock.c. */
#ifndef OWN_TRACE_LOCK_H
#define OWN_TRACE_LOCK_H

#include "trace.h"

struct own_trace_lock;

/*
 * Measures what this kernel allows, for the threads of that map. `reason` gets why it is not
 * everything, or "". May return NULL: nothing is measured.
 */
struct own_trace_lock *own_trace_lock_open(int threads, char *reason, size_t size);
enum own_trace_lock_source own_trace_lock_kind(const struct own_trace_lock *lock);
void own_trace_lock_close(struct own_trace_lock *lock);

#endif
