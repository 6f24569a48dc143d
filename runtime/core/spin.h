/*
 * Spinning: how long to look at a word before sleeping, and when not to look at all. What was tried
 * and measured stands in docs/design/spin.md.
 */
#ifndef OWN_CORE_SPIN_H
#define OWN_CORE_SPIN_H

#include "core/mutex_word.h"
#include "core/parker.h"
#include "sys/clock.h"

/*
 * Tries for a while to take the mutex without queueing. `designated`: the caller was popped as a
 * designated waiter, and clears DESIGNATED when it takes the mutex. True: taken.
 */
bool own_spin_lock(struct own_mutex *mutex, bool designated);

/*
 * How often a mutex was taken while its count went from `before` to `now` in `ticks`. None where
 * that is not known: another thread, which counts on its own, took it since, or it is of the
 * recursive kind. No mutex is taken once in a tick.
 */
static inline uint64_t own_spin_growth(uint32_t before, uint32_t now, uint64_t ticks)
{
	uint32_t taken = now - before;

	return taken <= ticks ? taken : 0;
}

/*
 * How long a cacheline travels from CPU to CPU, in ticks: the average so far, 0 for none, with one
 * more timed look. One that took less found the line here, for one that took longer the CPU was
 * taken away.
 */
static inline uint16_t own_spin_travel(uint16_t average, uint64_t ticks)
{
	uint64_t most = own_ns_to_ticks(1000);

	if (ticks < own_ns_to_ticks(25) || ticks > (most < UINT16_MAX ? most : UINT16_MAX))
		return average;
	return (uint16_t)(average == 0 ? ticks : (UINT64_C(3) * average + ticks) / 4);
}

/* What the mutex's count is to be once it was taken past waiters, or by spinning. */
uint32_t own_spin_count(struct own_mutex *mutex);

/* Looks at one's own word as park says, before parking. True: it is no longer `value`. */
bool own_spin_on_word(_Atomic uint32_t *word, uint32_t value, struct own_park *park);

/* Sets what a wait in a mutex's queue, or on a condition variable, may spend before it parks. */
void own_spin_plan_mutex(struct own_park *park, struct own_mutex *mutex);
void own_spin_plan_cond(struct own_park *park, _Atomic uint8_t *failures);

/*
 * A mutex keeps two averages of how often spinning failed: of the looks and yields that come first,
 * and of the spins in its queue, where those wait whom a longer section keeps out.
 */
enum own_spin_stage { OWN_SPIN_FIRST, OWN_SPIN_QUEUED };
void own_spin_learn_mutex(struct own_mutex *mutex, enum own_spin_stage stage, bool failed);

/*
 * The mutex is held for far longer than anybody spins: who comes now queues at once, and who yields
 * for it ceases to. Until spinning succeeds.
 */
void own_spin_held_long(struct own_mutex *mutex);

/*
 * Moves an average of how often something was so: 0 never, UINT8_MAX always. Each
 * condition variable keeps one of how often spinning failed. What does not pay is left, and tried
 * again now and then. A wait whose yields let somebody else run has wasted nothing and teaches
 * nothing.
 */
void own_spin_learn(_Atomic uint8_t *average, bool so);

/* The same for many at once; what their yields brought to others counts for nothing. */
void own_spin_learn_many(_Atomic uint8_t *average, unsigned not_so, unsigned so);

/* For the QUEUE bit: the n-th round of waiting for its holder. Spins, then yields, then sleeps, so
 * that a preempted or lower-priority holder always gets to run. */
void own_spin_for_queue(unsigned round);

/* Pauses until so many ticks are over since `start`, a reading of own_ticks. */
void own_spin_pause_for(uint64_t start, uint64_t ticks);

/* Whether the calling thread has a real-time policy, as of some milliseconds ago. */
bool own_spin_is_realtime(uint64_t now);

/* How many of `waiters` a broadcast wakes at once: option broadcast_wakes, or by the number of
 * CPUs. */
long own_spin_broadcast_wakes(long waiters);

/* Reads the cgroup CPU quota and the number of CPUs; from the constructor. */
void own_spin_start(void);

#endif
