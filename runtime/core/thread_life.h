/*
 * A thread's ties to the runtime: a parker and a block of counters, from its first slow path until
 * its end.
 *
 * The end is seen by a thread-specific key's destructor. Destructors of the program may still lock
 * after ours: such a thread takes a parker for each wait and gives it back, and adds to the shared
 * counters. The same holds for every thread when the key cannot be had, or when setting it could
 * allocate memory.
 */
#ifndef OWN_CORE_THREAD_LIFE_H
#define OWN_CORE_THREAD_LIFE_H

#include "stats/counters.h"
#include "sys/thread.h"

/* From the library's constructor. */
void own_thread_life_start(void);

void own_thread_attach_slow(void);

static inline void own_thread_attach(void)
{
	if (own_unlikely(!own_self.attached))
		own_thread_attach_slow();
}

/* Counters of the calling thread, attached or not. */
static inline struct own_counters *own_thread_counters(void)
{
	own_thread_attach();
	return own_self.counters;
}

#define own_count(field, value)                                                                    \
	do {                                                                                       \
		struct own_counters *own_count_to = own_thread_counters();                         \
		own_counters_add(own_count_to, &own_count_to->field, value);                       \
	} while (0)

#endif
