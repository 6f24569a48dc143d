#include "core/poll.h"

#include "config/options.h"
#include "core/spin.h"
#include "sys/clock.h"
#include "sys/cpu.h"

/* So many tries in a row, while the mutex has one owner, are polling, */
#define POLLS 32
/* unless they are further apart: such a thread has something else to do, and keeps its CPU. */
#define POLL_NS UINT64_C(1000)
/* Somebody who still has not gone on after so many yields waits for something else. */
#define MOST_YIELDS 16
/* After each try that fails but the first: the owner needs the line. */
#define PAUSE_NS UINT64_C(25)

/*
 * The owner was preempted where the caller runs. Or nobody has said where it runs for as long as
 * the caller has polled: that is so for nanoseconds after the mutex is taken and before it is
 * released, so the owner was preempted there, somewhere.
 */
static bool owner_is_preempted(struct own_mutex *mutex)
{
	uint16_t cpu = own_load_relaxed(&mutex->cpu);
	uint16_t here;

	(void)own_thread_id(); /* before it, a thread does not know its CPU */
	here = own_cpu_mark();
	return here != 0 && (cpu == here || cpu == 0);
}

/* POLLS tries have failed, once more. */
OWN_NOINLINE static void yield_to_owner(struct own_mutex *mutex)
{
	struct own_thread *self = &own_self;
	uint64_t now = own_ticks();
	bool polls = now - self->polled_since < own_ns_to_ticks(POLLS * POLL_NS);

	self->polled_since = now;
	if (!polls || self->polls > MOST_YIELDS * POLLS || !owner_is_preempted(mutex))
		return;
	if (own_option(OWN_OPTION_trylock_yields) != 0 && !own_spin_is_realtime(now))
		own_yield();
}

/* Tells owners apart, most of the time: a wrong answer costs time only. */
static uint32_t owner_mark(struct own_mutex *mutex)
{
	return own_load_relaxed(&mutex->count) +
	       (uint32_t)own_load_relaxed(&mutex->owner) * UINT32_C(0x9e3779b1);
}

void own_poll_failed(struct own_mutex *mutex)
{
	struct own_thread *self = &own_self;
	uint32_t owner = owner_mark(mutex);
	bool again = self->polled == mutex;

	if (!again || self->polled_owner != owner) {
		self->polled = mutex;
		self->polled_owner = owner;
		self->polls = 0;
	} else if (++self->polls % POLLS == 0) {
		yield_to_owner(mutex);
	}
	if (again)
		own_spin_pause_for(own_ticks(), own_ns_to_ticks(PAUSE_NS));
}
