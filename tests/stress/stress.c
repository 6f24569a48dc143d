#include "stress.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stress stress;

static _Alignas(STRESS_LINE) _Atomic uint64_t rounds_done;
static _Alignas(STRESS_LINE) _Atomic uint64_t alive;
static _Alignas(STRESS_LINE) _Atomic bool time_is_up;
static uint64_t start_ns;

uint64_t stress_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct timespec stress_deadline(clockid_t clock, int64_t offset_ns)
{
	int64_t at = (int64_t)stress_now(clock) + offset_ns;

	return (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
}

void stress_sleep_ns(uint64_t ns)
{
	struct timespec left = {.tv_sec = (time_t)(ns / 1000000000u),
				.tv_nsec = (long)(ns % 1000000000u)};

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

void stress_work(unsigned iterations)
{
	for (volatile unsigned i = 0; i < iterations; i++)
		;
}

/* splitmix64: every seed is a good one. */
uint64_t stress_random(struct stress_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct stress_random stress_random_for(unsigned stream)
{
	struct stress_random random = {.state = stress.seed};

	random.state = stress_random(&random) + stream;
	random.state = stress_random(&random);
	return random;
}

unsigned stress_below(struct stress_random *random, unsigned bound)
{
	return (unsigned)((stress_random(random) >> 32) * bound >> 32);
}

bool stress_chance(struct stress_random *random, unsigned odds)
{
	return stress_below(random, odds) == 0;
}

/* Sleeps in the kernel, not by yields: on a busy machine a yield costs a whole time slice. */
void stress_line_up(struct stress_line *line, unsigned threads)
{
	unsigned turn = atomic_load_explicit(&line->turn, memory_order_acquire);

	if (atomic_fetch_add_explicit(&line->arrived, 1, memory_order_acq_rel) + 1 == threads) {
		atomic_store_explicit(&line->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&line->turn, turn + 1, memory_order_release);
		syscall(SYS_futex, &line->turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
		return;
	}
	for (unsigned looks = 0; atomic_load_explicit(&line->turn, memory_order_acquire) == turn;
	     looks++) {
		if (looks > 200)
			syscall(SYS_futex, &line->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
	}
}

void stress_round(uint64_t count)
{
	atomic_fetch_add_explicit(&rounds_done, count, memory_order_relaxed);
}

uint64_t stress_rounds(void)
{
	return atomic_load_explicit(&rounds_done, memory_order_relaxed);
}

void stress_alive(void)
{
	atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
}

bool stress_running(void)
{
	if (stress.rounds != 0 && stress_rounds() >= stress.rounds)
		return false;
	return !atomic_load_explicit(&time_is_up, memory_order_relaxed);
}

static void print_reproduction(FILE *file)
{
	const char *delays = getenv("OWNLINE_DELAY_SEED");

	fprintf(file, "reproduce: ");
	if (delays != NULL)
		fprintf(file, "OWNLINE_DELAY_SEED=%s ", delays);
	fprintf(file, "%s --seed %" PRIu64, program_invocation_name, stress.seed);
	if (stress.rounds != 0)
		fprintf(file, " --rounds %" PRIu64, stress.rounds);
	if (stress.seconds > 0)
		fprintf(file, " --seconds %g", stress.seconds);
	if (stress.threads != 0)
		fprintf(file, " --threads %u", stress.threads);
	fprintf(file, "%s\n", stress.strict ? " --strict" : "");
	fflush(file);
}

void stress_fail(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "FAIL %s (process %d, round %" PRIu64 "): ", stress.name, (int)getpid(),
		stress_rounds());
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	print_reproduction(stderr);
	if (getenv("STRESS_HOLD") != NULL) {
		fprintf(stderr, "held: gdb -p %d\n", (int)getpid());
		for (;;)
			pause();
	}
	abort();
}

static void *watch(void *unused)
{
	uint64_t seen = 0;
	double quiet = 0; /* in ticks of this thread */
	double last = 0;  /* progress, by the clock */
	unsigned ticks = 0;

	(void)unused;
	for (;;) {
		stress_sleep_ns(50000000);
		double elapsed = (double)(stress_now(CLOCK_MONOTONIC) - start_ns) / 1e9;
		if (stress.seconds > 0 && elapsed >= stress.seconds)
			atomic_store_explicit(&time_is_up, true, memory_order_relaxed);

		uint64_t now = stress_rounds() + atomic_load_explicit(&alive, memory_order_relaxed);
		quiet = now == seen ? quiet + 0.05 : 0;
		last = now == seen ? last : elapsed;
		seen = now;
		/* By ticks first: a starved or stopped process is given more time, but not without
		 * end. */
		if (quiet > stress.patience || elapsed - last > 4 * stress.patience)
			stress_fail("no progress for %.1f seconds: a lost wakeup or a deadlock",
				    elapsed - last);

		if (stress.verbose && ++ticks % 200 == 0) {
			printf("%s: %.0f s, %" PRIu64 " rounds\n", stress.name, elapsed,
			       stress_rounds());
			fflush(stdout);
		}
	}
	return NULL;
}

static uint64_t parse_number(const char *option, const char *text)
{
	char *end;

	errno = 0;
	uint64_t value = strtoull(text, &end, 0);
	if (errno != 0 || end == text || *end != '\0' || *text == '-') {
		fprintf(stderr, "%s: --%s takes a whole number, not \"%s\"\n", stress.name, option,
			text);
		exit(2);
	}
	return value;
}

static double parse_seconds(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end != '\0' || !(value >= 0 && value < 1e9)) {
		fprintf(stderr, "%s: --%s takes seconds, as in 1.5, not \"%s\"\n", stress.name,
			option, text);
		exit(2);
	}
	return value;
}

static void print_help(const char *about)
{
	printf("usage: %s [OPTION...]\n%s\n\n"
	       "  --seed N      makes the same choices again (default: a random one, printed)\n"
	       "  --seconds S   ends after S seconds\n"
	       "  --rounds N    ends after N rounds (without any bound: 1 second)\n"
	       "  --threads N   threads (default: the program's own choice)\n"
	       "  --patience S  seconds without progress that count as a hang (default 30)\n"
	       "  --strict      also asks for what ownline promises beyond POSIX\n"
	       "  --verbose     prints progress every ten seconds\n"
	       "STRESS_HOLD=1 in the environment stops a failed process for a debugger.\n",
	       program_invocation_name, about);
}

static void read_options(int argc, char **argv, const char *about)
{
	static const struct option options[] = {
	    {"seed", required_argument, NULL, 's'},
	    {"seconds", required_argument, NULL, 't'},
	    {"rounds", required_argument, NULL, 'r'},
	    {"threads", required_argument, NULL, 'n'},
	    {"patience", required_argument, NULL, 'p'},
	    {"strict", no_argument, NULL, 'x'},
	    {"verbose", no_argument, NULL, 'v'},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			stress.seed = parse_number("seed", optarg);
			break;
		case 't':
			stress.seconds = parse_seconds("seconds", optarg);
			break;
		case 'r':
			stress.rounds = parse_number("rounds", optarg);
			break;
		case 'n':
			stress.threads = (unsigned)parse_number("threads", optarg);
			break;
		case 'p':
			stress.patience = parse_seconds("patience", optarg);
			break;
		case 'x':
			stress.strict = true;
			break;
		case 'v':
			stress.verbose = true;
			break;
		case 'h':
			print_help(about);
			exit(0);
		default:
			fprintf(stderr, "%s: see --help\n", stress.name);
			exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "%s: unexpected argument \"%s\"; see --help\n", stress.name,
			argv[optind]);
		exit(2);
	}
}

void stress_begin(int argc, char **argv, const char *name, const char *about)
{
	pthread_attr_t attributes;
	pthread_t watchdog;
	sigset_t all, old;

	stress = (struct stress){.name = name, .patience = 30};
	if (getrandom(&stress.seed, sizeof(stress.seed), 0) < 0)
		stress.seed = stress_now(CLOCK_REALTIME);
	stress.seed %= 1000000000u; /* short enough to type */
	read_options(argc, argv, about);
	if (stress.seconds == 0 && stress.rounds == 0)
		stress.seconds = 1;

	printf("%s: seed %" PRIu64 "; ", name, stress.seed);
	print_reproduction(stdout);
	start_ns = stress_now(CLOCK_MONOTONIC);

	/* Inherited by every thread: short time-outs are short indeed. */
	prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int error = pthread_create(&watchdog, &attributes, watch, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error != 0)
		stress_fail("no watchdog: %s", strerror(error));
}

void stress_child(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	sigaction(SIGALRM, &action, NULL);
	if (getenv("STRESS_HOLD") == NULL)
		alarm((unsigned)stress.patience + 1);
}

void stress_end(const char *detail)
{
	double elapsed = (double)(stress_now(CLOCK_MONOTONIC) - start_ns) / 1e9;

	printf("%s: ok, %" PRIu64 " rounds in %.2f s%s%s\n", stress.name, stress_rounds(), elapsed,
	       detail != NULL ? ": " : "", detail != NULL ? detail : "");
	exit(0);
}
