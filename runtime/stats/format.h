/* Figures for people: three significant digits and a unit. */
#ifndef OWN_STATS_FORMAT_H
#define OWN_STATS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define OWN_FIGURE_SIZE 24

struct own_figure {
	char text[OWN_FIGURE_SIZE];
};

/* "830 ns", "1.23 us", "45.6 ms", "789 s" */
struct own_figure own_figure_time(uint64_t ns);

/* "1.9 %"; never "0.0 %" for something nor "100.0 %" for less than all; "-" of nothing. */
struct own_figure own_figure_share(uint64_t part, uint64_t whole);

/* "251 722" */
struct own_figure own_figure_count(uint64_t count);

/* A power of two: "512", "1K", "2M" */
struct own_figure own_figure_power(uint64_t value);

#endif
