#include "core/spin.h"

#include "config/options.h"
#include "core/thread_life.h"
#include "sys/clock.h"
#include "sys/cpu.h"

/* How long a look at affinity and policy stays good, and how long a crowd is believed in. */
#define SCHEDULE_FRESH_NS  UINT64_C(10000000)
#define CROWDED_NS	   UINT64_C(2000000)
/* Between two looks of a spinner nothing takes this long but losing the CPU. */
#define PREEMPTED_NS	   UINT64_C(100000)

static bool quota_is_tight;

void own_spin_start(void)
{
	quota_is_tight = own_cpu_quota_below_two();
}

/* Threads of this process have lately come here on different CPUs: until then (ticks). */
static _Atomic uint64_t several_cpus_until;
static _Atomic uint16_t last_cpu;

/*
 * Threads that are pinned to one CPU each run side by side all the same; threads that are all bound
 * to the same CPU do not. Which it is shows in where they come from.
 */
static bool several_cpus_in_use(uint64_t now)
{
	uint16_t cpu = own_cpu_mark();

	if (own_self.cpus > 1)
		return true;
	/* relaxed, and racy: a wrong answer costs time only */
	if (own_load_relaxed(&last_cpu) != cpu) {
		own_store_relaxed(&last_cpu, cpu);
		own_store_relaxed(&several_cpus_until, now + own_ns_to_ticks(SCHEDULE_FRESH_NS));
		return true;
	}
	return now < own_load_relaxed(&several_cpus_until);
}

static bool spinning_can_help(uint64_t now)
{
	struct own_thread *self = &own_self;

	if (own_unlikely(now - self->schedule_checked > own_ns_to_ticks(SCHEDULE_FRESH_NS) ||
			 self->cpus == 0)) {
		self->schedule_checked = now;
		own_thread_look_at_schedule();
	}
	return !self->realtime && !quota_is_tight && own_option(OWN_OPTION_spin) != 0 &&
	       several_cpus_in_use(now);
}

static void pause_until(uint64_t until)
{
	do
		own_pause();
	while (own_ticks() < until);
}

/* Takes the mutex if it is free; else becomes the designated waiter if there is none and has to be
 * one. */
static bool try_take(struct own_mutex *mutex, bool *designated)
{
	uint32_t raw = own_load_relaxed(&mutex->word);

	for (;;) {
		uint32_t flags = own_word_flags(raw);

		if (!(flags & OWN_LOCKED)) {
			flags |= OWN_LOCKED;
			if (*designated)
				flags &= ~OWN_DESIGNATED;
			/* (M-lock), pairs with (M-unlock) */
			if (own_cas_acquire(&mutex->word, &raw, own_word_make(flags)))
				return true;
		} else if ((flags & (OWN_WAITERS | OWN_DESIGNATED)) == OWN_WAITERS && !*designated) {
			/* relaxed: the bit carries nothing but itself */
			if (own_cas_relaxed(&mutex->word, &raw,
					    own_word_make(flags | OWN_DESIGNATED)))
				*designated = true;
		} else {
			return false;
		}
	}
}

/* The owner cannot be running where the caller runs. */
static bool owner_is_here(struct own_mutex *mutex)
{
	uint16_t cpu = own_load_relaxed(&mutex->cpu);

	return cpu != 0 && cpu == own_cpu_mark();
}

static uint32_t next_random(void)
{
	uint32_t value = own_self.random;

	value ^= value << 13;
	value ^= value >> 17;
	value ^= value << 5;
	own_self.random = value;
	return value;
}

bool own_spin_lock(struct own_mutex *mutex, bool *designated)
{
	uint64_t now = own_ticks();
	uint64_t end = now + own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_spin_lock_ns));
	uint64_t step = own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_xa));
	uint64_t cap = own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_xb));
	long yields = own_option(OWN_OPTION_spin_yields);

	if (try_take(mutex, designated))
		return true;
	if (!spinning_can_help(now))
		return false;
	while (now < end) {
		if (owner_is_here(mutex))
			break;
		pause_until(now + step / 2 + (next_random() % (unsigned)(step / 2 + 1)));
		if (try_take(mutex, designated))
			return true;
		now = own_ticks();
		step *= 2;
		if (step > cap)
			step = cap;
	}
	for (long i = 0; i < yields; i++) {
		own_yield();
		if (try_take(mutex, designated))
			return true;
	}
	return false;
}

bool own_spin_on_word(_Atomic uint32_t *word, uint32_t value, const struct own_park *park)
{
	if (park->spin_ticks > 0) {
		uint64_t end = own_ticks() + park->spin_ticks;

		do {
			/* relaxed: the caller acquires */
			if (own_load_relaxed(word) != value)
				return true;
			own_pause();
		} while (own_ticks() < end);
	}
	for (unsigned i = 0; i < park->yields; i++) {
		own_yield();
		if (own_load_relaxed(word) != value)
			return true;
	}
	return own_load_relaxed(word) != value;
}

void own_spin_plan_mutex(struct own_park *park, struct own_mutex *mutex)
{
	park->spin_ticks = 0;
	park->yields = 0;
	if (!spinning_can_help(own_ticks()))
		return;
	if (owner_is_here(mutex)) {
		park->yields = (unsigned)own_option(OWN_OPTION_xd);
		return;
	}
	park->spin_ticks = own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_spin_wait_ns));
	park->yields = (unsigned)own_option(OWN_OPTION_wait_yields);
}

void own_spin_plan_cond(struct own_park *park, _Atomic uint16_t *average)
{
	(void)average;
	park->spin_ticks = 0;
	park->yields = 0;
	if (!spinning_can_help(own_ticks()))
		return;
	park->spin_ticks = own_ns_to_ticks(2200);
	park->yields = (unsigned)own_option(OWN_OPTION_wait_yields);
}

void own_spin_learn_cond(const struct own_park *park, _Atomic uint16_t *average, uint64_t waited)
{
	(void)park;
	(void)average;
	(void)waited;
}

void own_spin_for_queue(unsigned round)
{
	if (round < 8 && spinning_can_help(own_ticks())) {
		for (unsigned i = 0; i < 1u << round; i++)
			own_pause();
	} else if (round < 16 && !own_self.realtime) {
		own_yield();
	} else {
		own_sleep_ns(50000);
	}
}
