/* Medians and ranges of a few runs. */
#ifndef OWN_TOOLS_STATISTICS_H
#define OWN_TOOLS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct own_spread {
	size_t count; /* 0: the others mean nothing */
	double median;
	double low;
	double high;
};

/*
 * The median and the range. From six runs on, the range leaves out a sixth of them at either end,
 * so that one run that something has disturbed does not hide what the others show. Ranges of runs
 * that do not differ are apart by chance at most once in ten times (3 runs each), in 126 (5), in 12
 * (6). Sorts `values`.
 */
struct own_spread own_spread_of(double *values, size_t count);

/* Whether the ranges have no value in common. */
bool own_spreads_are_apart(const struct own_spread *a, const struct own_spread *b);

/* A number in about four digits, at most nine characters wide up to 999 999 999; never in
 * exponents where people would not write them. */
void own_format_number(double value, char *text, size_t size);

#endif
