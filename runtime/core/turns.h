/*
 * Turns at a condition variable: who comes away with nothing for long gets to work.
 *
 * Threads that wait for a condition and yield take turns at their CPU in a fixed order. The one
 * that comes right behind the waker finds the condition true each time, and the one behind it
 * never, for as long as that order lasts, and yielding does not change it. So now and then a waiter
 * that found it true while others did not for long rests: it sleeps for a moment instead of
 * spinning. Others come first meanwhile, and it comes back at another place.
 *
 * All of it is a guess, by relaxed and racy accesses: a wrong one costs a moment's sleep.
 */
#ifndef OWN_CORE_TURNS_H
#define OWN_CORE_TURNS_H

#include "core/cond_word.h"

/* A wait begins at `now`; the caller has the mutex. True: its thread had better rest. */
OWN_MUST_CHECK bool own_turns_begin(struct own_cond *cond, struct own_mutex *mutex, uint64_t now);

/* A wait is over, and the caller has the mutex again. Does not touch the variable. */
void own_turns_end(const struct own_cond *cond, struct own_mutex *mutex);

/* Sleeps for a moment, queued: a waker that comes meanwhile makes no system call. */
void own_turns_rest(struct own_parker *parker);

#endif
