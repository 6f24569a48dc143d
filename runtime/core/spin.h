/*
 * Spinning: how long to look at a word before sleeping, and when not to look at all. What was tried
 * and measured stands in docs/design/spin.md.
 */
#ifndef OWN_CORE_SPIN_H
#define OWN_CORE_SPIN_H

#include "core/mutex_word.h"
#include "core/parker.h"

/*
 * Tries for a while to take the mutex without queueing. *designated: the caller holds the
 * DESIGNATED bit; a spinner beside a queue takes it, so that unlockers wake nobody while it is
 * looking. True: taken, and the bit cleared with it. False: *designated says whether the caller
 * still holds it.
 */
bool own_spin_lock(struct own_mutex *mutex, bool *designated);

/* Looks at one's own word for park->spin_ticks, then yields park->yields times. True: it is no
 * longer `value`. */
bool own_spin_on_word(_Atomic uint32_t *word, uint32_t value, struct own_park *park);

/* Sets what a wait in a mutex's queue, or on a condition variable, may spend before it parks. */
void own_spin_plan_mutex(struct own_park *park, struct own_mutex *mutex);
void own_spin_plan_cond(struct own_park *park, _Atomic uint8_t *failures);

/*
 * Each lock and each condition variable keeps an average of how often spinning failed: 0 never,
 * UINT8_MAX always. What does not pay is left, and tried again now and then. A wait whose yields
 * let somebody else run has wasted nothing and teaches nothing.
 */
void own_spin_learn(_Atomic uint8_t *failures, bool failed);

/* For the QUEUE bit: the n-th round of waiting for its holder. Spins, then yields, then sleeps, so
 * that a preempted or lower-priority holder always gets to run. */
void own_spin_for_queue(unsigned round);

/* Reads the cgroup CPU quota; from the constructor. */
void own_spin_start(void);

#endif
