/* --rounds N and --seed S for programs that repeat a race. */
#ifndef TESTS_SUPPORT_OPTIONS_H
#define TESTS_SUPPORT_OPTIONS_H

#include "support/check.h"

#include <time.h>

struct check_options {
	unsigned long rounds;
	uint64_t seed;
};

static inline void check_usage(const char *program, const char *fault, int status)
{
	if (fault)
		fprintf(stderr, "%s: %s; see --help\n", program, fault);
	else
		printf("usage: %s [--rounds N] [--seed S]\n", program);
	exit(status);
}

static inline uint64_t check_number(const char *program, const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = text ? strtoull(text, &end, 0) : 0;
	if (!text || errno || end == text || *end)
		check_usage(program, "an option needs a number", 2);
	return value;
}

/* Prints the seed, so that a failing run can be repeated. */
static inline struct check_options check_options(int argc, char **argv, unsigned long rounds)
{
	struct check_options options = {rounds,
					(uint64_t)time(NULL) * 1000003 + (uint64_t)getpid()};

	for (int i = 1; i < argc; i += 2) {
		if (!strcmp(argv[i], "--help"))
			check_usage(argv[0], NULL, 0);
		else if (!strcmp(argv[i], "--rounds"))
			options.rounds = (unsigned long)check_number(argv[0], argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			options.seed = check_number(argv[0], argv[i + 1]);
		else
			check_usage(argv[0], "unknown option", 2);
	}
	if (rounds && options.rounds > rounds)
		alarm(0); /* long runs are bounded by whoever starts them */
	printf("rounds %lu seed %llu\n", options.rounds, (unsigned long long)options.seed);
	fflush(stdout);
	return options;
}

/* SplitMix64: one step per call, each thread with a state of its own. */
static inline uint64_t check_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Passes up to `most` empty steps: spreads the moments at which threads meet. */
static inline void check_jitter(uint64_t *state, unsigned most)
{
	for (volatile uint64_t i = check_random(state) % (most + 1); i > 0; i--)
		;
}

#endif
