/*
 * Time. Ticks of the processor's counter for everything that the runtime measures for itself (spin
 * budgets, ages, durations); the kernel's clocks, by system call, for what a caller asked for. The
 * C library's clock_gettime is never called: programs interpose it.
 *
 * The counter may go back: in a process that was restored on another machine, or where those of two
 * CPUs differ. So how long something has lasted is told by a difference from its start, which is
 * huge then, and not by a point in time to come: no loop must wait for that.
 */
#ifndef OWN_SYS_CLOCK_H
#define OWN_SYS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct own_deadline {
	clockid_t clock;      /* CLOCK_REALTIME or CLOCK_MONOTONIC */
	struct timespec time; /* absolute */
};

/* A caller's time-out. Returns 0, or EINVAL for a bad clock or tv_nsec. */
int own_deadline_make(struct own_deadline *deadline, clockid_t clock, const struct timespec *time);

static inline uint64_t own_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
#error "ownline is for x86-64 and aarch64"
#endif
}

/* The same, read when all loads before it have brought their values. */
static inline uint64_t own_ticks_after_loads(void)
{
#if defined(__x86_64__)
	unsigned cpu;

	return __builtin_ia32_rdtscp(&cpu);
#elif defined(__aarch64__)
	__asm__ volatile("dsb ld\n\tisb" ::: "memory");
	return own_ticks();
#endif
}

/* Whether `moment` is less than `ticks` ago, or ahead: another thread may have read it since. */
static inline bool own_ticks_near(uint64_t now, uint64_t moment, uint64_t ticks)
{
	return now - moment + ticks < 2 * ticks;
}

uint64_t own_ticks_to_ns(uint64_t ticks);
uint64_t own_ns_to_ticks(uint64_t ns);

/* From a reading of own_ticks until now; 0 if the counter has gone back. */
uint64_t own_ns_since(uint64_t start);

/*
 * Relates ticks to nanoseconds, within about 1 % at the first call (which takes 20 us) and more
 * closely when it is called again later. The conversions call it when nobody has.
 */
void own_clock_calibrate(void);

void own_clock_now(clockid_t clock, struct timespec *now);
uint64_t own_monotonic_ns(void);

/* True once the deadline's clock has reached it. */
bool own_deadline_passed(const struct own_deadline *deadline);

/* Sleeps about `ns` nanoseconds, shorter when a signal comes. */
void own_sleep_ns(uint64_t ns);

/* Gives the processor to another runnable thread, if there is one. */
void own_yield(void);

#endif
