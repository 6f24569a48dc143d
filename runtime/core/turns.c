#include "core/turns.h"

#include "config/options.h"
#include "sys/clock.h"
#include "sys/thread.h"

/* The kernel's timer slack, 50 us by default, is added to it. */
#define REST_NS UINT64_C(1000)
/* A waiter that found its condition false for handoff_us is passed over. One rests for it at most
 * so often: in that part of handoff_us; twice as long each time that nobody was served then who had
 * been passed over, so many times. */
#define REST_PART    2
#define MOST_IN_VAIN 3
/* A rest that lasted so long gave the CPU to strangers: nobody in the process rests for so many
 * times as long. */
#define LONG_REST_NS	 UINT64_C(250000)
#define LONG_REST_FACTOR 100

/* Ticks: when a long rest ended, and how long nobody rests since. */
static _Atomic uint64_t long_rest_ended;
static _Atomic uint64_t no_rest_for;

static uint64_t handoff_ticks(void)
{
	return own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_handoff_us) * 1000);
}

/*
 * It has not locked the mutex since its last wait here ended: it found the condition false. A lock
 * that takes the mutex at once counts there, and any other forgets that wait (mutex.c).
 */
static uint32_t mark_of(const struct own_cond *cond, struct own_mutex *mutex)
{
	return (uint32_t)((uintptr_t)cond >> 3) * UINT32_C(2654435761) +
	       own_load_relaxed(&mutex->count);
}

/* A thread's own times: they wrap in half an hour, which at most lets one rest. */
static uint32_t coarse(uint64_t ticks)
{
	return (uint32_t)(ticks >> 10);
}

bool own_turns_begin(struct own_cond *cond, struct own_mutex *mutex, uint64_t now)
{
	struct own_thread *self = &own_self;
	unsigned in_vain = own_load_relaxed(&cond->rests_in_vain);

	if (self->waited == mark_of(cond, mutex)) {
		uint64_t bound = handoff_ticks();

		/* From a difference: the counter may go back, which at most lets one rest. */
		if (coarse(now) - self->served > coarse(bound))
			self->passed_over = true;
		if (self->passed_over && now - own_load_relaxed(&cond->rested) > bound / REST_PART
										     << in_vain)
			own_store_relaxed(&cond->passed_over, 1);
		return false;
	}
	self->served = coarse(now);
	if (own_unlikely(self->passed_over)) {
		self->passed_over = false;
		own_store_relaxed(&cond->rests_in_vain, 0);
		return false;
	}
	if (own_likely(!own_load_relaxed(&cond->passed_over)))
		return false;
	own_store_relaxed(&cond->passed_over, 0);
	if (now - own_load_relaxed(&long_rest_ended) < own_load_relaxed(&no_rest_for))
		return false;
	own_store_relaxed(&cond->rested, now);
	if (in_vain < MOST_IN_VAIN)
		own_store_relaxed(&cond->rests_in_vain, (uint8_t)(in_vain + 1));
	return true;
}

void own_turns_end(const struct own_cond *cond, struct own_mutex *mutex)
{
	own_self.waited = mark_of(cond, mutex);
}

void own_turns_rest(struct own_parker *parker)
{
	uint64_t start = own_ticks();
	uint64_t end;

	own_store_relaxed(&parker->spun, OWN_SPUN_NOT); /* it teaches nothing meanwhile */
	own_sleep_ns(REST_NS);
	end = own_ticks();
	if (end - start < own_ns_to_ticks(LONG_REST_NS))
		return;
	own_store_relaxed(&long_rest_ended, end);
	own_store_relaxed(&no_rest_for, LONG_REST_FACTOR * (end - start));
}
