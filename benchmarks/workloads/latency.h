/*
 * Histogram of times: 16 steps per power of two, so a percentile is exact to 6 %; the maximum is
 * exact. Each thread owns one; they are merged at the end.
 */
#ifndef OWN_WORKLOADS_LATENCY_H
#define OWN_WORKLOADS_LATENCY_H

#include <stdint.h>

#define OWN_LATENCY_SLOTS (61 * 16)

struct own_latency {
	uint64_t count;
	uint64_t max_ns;
	uint32_t slots[OWN_LATENCY_SLOTS];
};

void own_latency_add(struct own_latency *latency, uint64_t ns);
void own_latency_merge(struct own_latency *into, const struct own_latency *from);

/* The time that a share (0 to 1) of all samples did not exceed; 0 without samples. */
uint64_t own_latency_percentile(const struct own_latency *latency, double share);

#endif
