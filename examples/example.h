/* What the examples share: numbers on the command line, and time. Not what they are about. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --help, an option that there is not, or more arguments than the program knows. */
static inline void example_usage(int argc, char **argv, int most, const char *usage)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		printf("Usage: %s %s\n", argv[0], usage);
		exit(0);
	}
	if (argc > 1 && argv[1][0] == '-' && (argv[1][1] < '0' || argv[1][1] > '9')) {
		fprintf(stderr, "%s: unknown option '%s'; try --help\n", argv[0], argv[1]);
		exit(2);
	}
	if (argc - 1 > most) {
		fprintf(stderr, "%s: too many arguments; try --help\n", argv[0]);
		exit(2);
	}
}

static inline long example_number(int argc, char **argv, int index, const char *name, long preset,
				  long least, long most)
{
	char *end;
	long value;

	if (index >= argc)
		return preset;
	errno = 0;
	value = strtol(argv[index], &end, 10);
	if (errno != 0 || end == argv[index] || *end != '\0' || value < least || value > most) {
		fprintf(stderr, "%s: %s must be a number from %ld to %ld, not '%s'; try --help\n",
			argv[0], name, least, most, argv[index]);
		exit(2);
	}
	return value;
}

static inline double example_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Calls that return an error number and must not fail. */
static inline void example_must(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(1);
}

#endif
