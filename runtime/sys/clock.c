#include "sys/clock.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/call.h"
#include "sys/delay.h"

/* Ticks times scale can pass 64 bits. */
__extension__ typedef unsigned __int128 wide;

#define SCALE_SHIFT	24
#define FIRST_WINDOW_NS UINT64_C(20000)
/* From here on the error of two clock readings is below one in ten thousand. */
#define GOOD_WINDOW_NS UINT64_C(5000000)
#define READINGS       5

struct moment {
	uint64_t ticks;
	uint64_t ns;
};

/* ns = ticks * scale >> SCALE_SHIFT, and back by its inverse; 0 until calibrated. */
static _Atomic uint64_t scale;
static _Atomic uint64_t inverse;
/* The first moment, which stays: written by whoever has claimed it, before it is `anchored`. */
static struct moment anchor;
static _Atomic bool claimed;
static _Atomic bool anchored;
static _Atomic bool refined;

void own_clock_now(clockid_t clock, struct timespec *now)
{
	(void)own_syscall3(SYS_clock_gettime, clock, (long)now, 0);
}

uint64_t own_monotonic_ns(void)
{
	struct timespec now = {0, 0};

	own_clock_now(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/*
 * Counter and clock at one moment: of some readings the one that was over soonest. A thread that
 * loses its CPU between the two, as it may at the end of any system call, has read different ones.
 */
static struct moment now_by_both(void)
{
	struct moment best = {0, 0};
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t before = own_ticks();
		uint64_t ns = own_monotonic_ns();
		uint64_t took;

		own_step("clock read");
		took = own_ticks() - before;
		if (took < least) {
			least = took;
			best = (struct moment){before + took / 2, ns};
		}
	}
	return best;
}

static void set_scale(struct moment from, struct moment to)
{
	uint64_t ticks = to.ticks - from.ticks;
	uint64_t ns = to.ns - from.ns;

	if ((int64_t)ticks <= 0 || (int64_t)ns <= 0)
		return;
	own_store_relaxed(&inverse, (uint64_t)(((wide)ticks << SCALE_SHIFT) / ns));
	own_store_relaxed(&scale, (uint64_t)(((wide)ns << SCALE_SHIFT) / ticks));
}

/* Several threads may get here at once: each result is good, any may stay. */
OWN_COLD static void calibrate_first(void)
{
	struct moment start = now_by_both();
	struct moment now;

	do
		now = now_by_both();
	while (now.ns - start.ns < FIRST_WINDOW_NS);
	if (!atomic_exchange_explicit(&claimed, true, memory_order_relaxed)) {
		anchor = start;
		own_store_release(&anchored, true);
	}
	set_scale(start, now);
}

void own_clock_calibrate(void)
{
	struct moment now;

	if (own_load_relaxed(&scale) == 0) {
		calibrate_first();
		return;
	}
	if (own_load_relaxed(&refined) || !own_load_acquire(&anchored))
		return;
	if (own_monotonic_ns() - anchor.ns < GOOD_WINDOW_NS)
		return;
	now = now_by_both();
	set_scale(anchor, now);
	own_store_relaxed(&refined, true);
}

uint64_t own_ticks_to_ns(uint64_t ticks)
{
	if (own_unlikely(own_load_relaxed(&scale) == 0))
		calibrate_first();
	return (uint64_t)(((wide)ticks * own_load_relaxed(&scale)) >> SCALE_SHIFT);
}

uint64_t own_ns_since(uint64_t start)
{
	uint64_t ticks = own_ticks() - start;

	return (int64_t)ticks > 0 ? own_ticks_to_ns(ticks) : 0;
}

uint64_t own_ns_to_ticks(uint64_t ns)
{
	if (own_unlikely(own_load_relaxed(&inverse) == 0))
		calibrate_first();
	return (uint64_t)(((wide)ns * own_load_relaxed(&inverse)) >> SCALE_SHIFT);
}

int own_deadline_make(struct own_deadline *deadline, clockid_t clock, const struct timespec *time)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000L)
		return EINVAL;
	deadline->clock = clock;
	deadline->time = *time;
	return 0;
}

bool own_deadline_passed(const struct own_deadline *deadline)
{
	struct timespec now = {0, 0};

	own_clock_now(deadline->clock, &now);
	if (now.tv_sec != deadline->time.tv_sec)
		return now.tv_sec > deadline->time.tv_sec;
	return now.tv_nsec >= deadline->time.tv_nsec;
}

void own_sleep_ns(uint64_t ns)
{
	struct timespec length = {.tv_sec = (time_t)(ns / UINT64_C(1000000000)),
				  .tv_nsec = (long)(ns % UINT64_C(1000000000))};

	(void)own_syscall6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&length, 0, 0, 0);
}

void own_yield(void)
{
	(void)own_syscall3(SYS_sched_yield, 0, 0, 0);
}
