#include "workloads/workload.h"

/*
 * One function at one alignment, counting in a register, so that every peer's program does the
 * same: a counter in memory takes one cycle or two, by how a program's stack and code happen to
 * lie.
 */
__attribute__((noinline, aligned(64))) void own_work(long iterations)
{
	while (iterations > 0) {
		/* Two steps that depend on each other: two cycles. */
		iterations++;
		__asm__ volatile("" : "+r"(iterations));
		iterations -= 2;
		__asm__ volatile("" : "+r"(iterations));
	}
}
