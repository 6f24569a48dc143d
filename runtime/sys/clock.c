#include "sys/clock.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/call.h"

/* Ticks times scale can pass 64 bits. */
__extension__ typedef unsigned __int128 wide;

#define SCALE_SHIFT	24
#define FIRST_WINDOW_NS UINT64_C(20000)
/* From here on the error of two clock readings is below one in ten thousand. */
#define GOOD_WINDOW_NS UINT64_C(5000000)

/* ns = ticks * scale >> SCALE_SHIFT, and back by its inverse; 0 until calibrated. */
static _Atomic uint64_t scale;
static _Atomic uint64_t inverse;
static _Atomic uint64_t anchor_ticks;
static _Atomic uint64_t anchor_ns;
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

static void set_scale(uint64_t ticks, uint64_t ns)
{
	if (ticks == 0 || ns == 0)
		return;
	own_store_relaxed(&inverse, (uint64_t)(((wide)ticks << SCALE_SHIFT) / ns));
	own_store_relaxed(&scale, (uint64_t)(((wide)ns << SCALE_SHIFT) / ticks));
}

/* Several threads may get here at once: each result is good, any may stay. */
OWN_COLD static void calibrate_first(void)
{
	uint64_t start_ns = own_monotonic_ns();
	uint64_t start_ticks = own_ticks();
	uint64_t now_ns;

	do
		now_ns = own_monotonic_ns();
	while (now_ns - start_ns < FIRST_WINDOW_NS);
	own_store_relaxed(&anchor_ns, start_ns);
	own_store_relaxed(&anchor_ticks, start_ticks);
	set_scale(own_ticks() - start_ticks, now_ns - start_ns);
}

void own_clock_calibrate(void)
{
	uint64_t ns;

	if (own_load_relaxed(&scale) == 0) {
		calibrate_first();
		return;
	}
	if (own_load_relaxed(&refined))
		return;
	ns = own_monotonic_ns() - own_load_relaxed(&anchor_ns);
	if (ns < GOOD_WINDOW_NS)
		return;
	set_scale(own_ticks() - own_load_relaxed(&anchor_ticks), ns);
	own_store_relaxed(&refined, true);
}

static void need_scale(void)
{
	if (own_unlikely(own_load_relaxed(&scale) == 0))
		calibrate_first();
}

uint64_t own_ticks_to_ns(uint64_t ticks)
{
	need_scale();
	return (uint64_t)(((wide)ticks * own_load_relaxed(&scale)) >> SCALE_SHIFT);
}

uint64_t own_ns_to_ticks(uint64_t ns)
{
	need_scale();
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
