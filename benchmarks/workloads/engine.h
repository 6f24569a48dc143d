/*
 * Runs a workload: threads behind a gate, a clock, a snapshot of all counts at the end.
 *
 * Nothing here takes a lock of the measured library once the threads are created.
 */
#ifndef OWN_WORKLOADS_ENGINE_H
#define OWN_WORKLOADS_ENGINE_H

#include "workloads/futex_counts.h"
#include "workloads/latency.h"
#include "workloads/workload.h"

struct own_result {
	unsigned threads;
	double seconds;
	double operations; /* of all threads, when the time was over */
	double cpu_seconds;
	double slowest_to_fastest;
	double jain;
	long voluntary_switches;
	long involuntary_switches;
	struct own_latency latency;
	struct own_futex_counts futex;
};

void own_engine_run(struct own_run *run, struct own_result *result);

#endif
