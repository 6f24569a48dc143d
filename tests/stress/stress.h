/*
 * What the stress programs share: options, a seed that reproduces a run's choices, a bound on
 * rounds and time, and a watchdog that turns a hang into a failure.
 *
 * The programs know plain POSIX threads only. Built once without and once with ownline, they show
 * that a failure is ours.
 *
 * Nothing here takes a lock of the kind under test: the watchdog sleeps and reads atomics.
 */
#ifndef STRESS_H
#define STRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define STRESS_LINE 64

struct stress {
	const char *name;
	uint64_t seed;
	double seconds;	  /* 0: no bound by time */
	uint64_t rounds;  /* 0: no bound by rounds */
	unsigned threads; /* 0: the program's own choice */
	double patience;  /* seconds without progress that count as a hang */
	bool strict;	  /* also ask for what ownline promises beyond POSIX */
	bool verbose;	  /* a line of progress every ten seconds */
};

extern struct stress stress;

/*
 * Reads --seed, --seconds, --rounds, --threads, --patience, --strict, --verbose and --help; prints
 * the seed and how to reproduce the run; starts the watchdog. Without a bound, one second.
 */
void stress_begin(int argc, char **argv, const char *name, const char *about);

/* True while neither bound is reached. Any thread may ask; asking is no progress. */
bool stress_running(void);

/* Counts rounds done, for the bound and the watchdog. Any thread. */
void stress_round(uint64_t count);
uint64_t stress_rounds(void);

/* Progress that is no round: keeps the watchdog quiet. */
void stress_alive(void);

/* Prints what was done and ends the program with success; `detail` may be NULL. */
_Noreturn void stress_end(const char *detail);

/*
 * Prints the fault and how to reproduce it, then aborts. With STRESS_HOLD in the environment the
 * process stops instead, so that a debugger can look at all threads.
 */
_Noreturn void stress_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In a fork child: no watchdog is left, so SIGALRM ends a child that hangs. */
void stress_child(void);

/* A generator per thread, seeded from the run's seed and the thread's number. */
struct stress_random {
	uint64_t state;
};

struct stress_random stress_random_for(unsigned stream);
uint64_t stress_random(struct stress_random *random);
/* Uniform enough in [0, bound). */
unsigned stress_below(struct stress_random *random, unsigned bound);
/* True once in `odds`. */
bool stress_chance(struct stress_random *random, unsigned odds);

uint64_t stress_now(clockid_t clock);
/* Now plus `offset_ns`, which may be negative. */
struct timespec stress_deadline(clockid_t clock, int64_t offset_ns);
/* An empty loop; the compiler keeps it. */
void stress_work(unsigned iterations);
/* Sleeps, through nanosleep: no lock. */
void stress_sleep_ns(uint64_t ns);

/* A start line for a few threads; spins, then sleeps. Not of the kind under test. */
struct stress_line {
	_Alignas(STRESS_LINE) _Atomic unsigned arrived;
	_Alignas(STRESS_LINE) _Atomic unsigned turn;
};
void stress_line_up(struct stress_line *line, unsigned threads);

/* Fails, naming the call and the error, unless `call` returns `expected`. */
#define STRESS_EXPECT(call, expected)                                                              \
	do {                                                                                       \
		int stress_got_ = (call);                                                          \
		if (stress_got_ != (expected))                                                     \
			stress_fail("%s:%d: %s returned %d, not %d", __FILE__, __LINE__, #call,    \
				    stress_got_, (expected));                                      \
	} while (0)
#define STRESS_OK(call) STRESS_EXPECT(call, 0)

/* Fails, naming the condition, unless it holds. */
#define STRESS_CHECK(condition)                                                                    \
	do {                                                                                       \
		if (!(condition))                                                                  \
			stress_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition);    \
	} while (0)

#endif
