/*
 * The kernel's own count of this process's futex calls, read from the syscall tracepoints through
 * perf events. Needs tracefs and the right to open such events (root, or perf_event_paranoid -1
 * and a readable tracefs); otherwise `valid` is false and the reason is printed once on stderr.
 *
 * Tracing makes each futex call some 100 ns slower: don't take rates from a counted run.
 */
#ifndef OWN_WORKLOADS_FUTEX_COUNTS_H
#define OWN_WORKLOADS_FUTEX_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct own_futex_counts {
	bool valid;
	uint64_t waits;	     /* FUTEX_WAIT and FUTEX_WAIT_BITSET */
	uint64_t mismatches; /* futex calls that returned EAGAIN */
	uint64_t timeouts;   /* that returned ETIMEDOUT */
	uint64_t wakes;	     /* FUTEX_WAKE and FUTEX_WAKE_BITSET */
};

/* Before any thread is created: the events are inherited by later threads and children. */
void own_futex_counts_open(void);
void own_futex_counts_reset(void);
void own_futex_counts_read(struct own_futex_counts *counts);

#endif
