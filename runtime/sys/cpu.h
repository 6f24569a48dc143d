/* Which CPU this is, and how many the process may use. */
#ifndef OWN_SYS_CPU_H
#define OWN_SYS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Registered by the C library (2.35 and later) for each thread; absent elsewhere. */
extern const ptrdiff_t __rseq_offset OWN_WEAK;
extern const unsigned int __rseq_size OWN_WEAK;

/*
 * A short name for the CPU that the caller runs on: its number plus one, cut to 16 bits; 0 when it
 * cannot be told by one load.
 */
static inline uint16_t own_cpu_mark(void)
{
#if defined(__x86_64__)
	uint32_t cpu;

	if (!&__rseq_offset || !&__rseq_size || __rseq_size == 0)
		return 0;
	/* struct rseq: cpu_id_start, cpu_id; negative while it is not registered */
	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(__rseq_offset));
	return (uint16_t)(cpu + 1);
#elif defined(__aarch64__)
	const char *thread;

	if (!&__rseq_offset || !&__rseq_size || __rseq_size == 0)
		return 0;
	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
	return (uint16_t)(*(const volatile uint32_t *)(thread + __rseq_offset + 4) + 1);
#else
	return 0;
#endif
}

/* True if a cgroup's CPU quota gives this process less than two CPUs' time. Reads files: not for
 * lock paths. */
bool own_cpu_quota_below_two(void);

#endif
