/*
 * A thread that polls: it calls trylock on one mutex again and again and does hardly anything else.
 * It leaves the mutex's cacheline to the owner for a moment; and where the owner was preempted on
 * the caller's CPU, which keeps it from going on, the caller yields to it. What was measured stands
 * in docs/design/spin.md.
 */
#ifndef OWN_CORE_POLL_H
#define OWN_CORE_POLL_H

#include "core/mutex_word.h"

/* trylock found the mutex locked. For mutexes whose every owner is noted. */
void own_poll_failed(struct own_mutex *mutex);

#endif
