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

/* The CPU that the caller runs on, or -1 when it cannot be told by one load. */
static inline int own_cpu_current(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const char *thread;

	if (!&__rseq_offset || !&__rseq_size || __rseq_size == 0)
		return -1;
#if defined(__x86_64__)
	__asm__("mov %%fs:0, %0" : "=r"(thread));
#else
	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
#endif
	/* struct rseq: cpu_id_start, cpu_id */
	return *(const volatile int32_t *)(thread + __rseq_offset + 4);
#else
	return -1;
#endif
}

/* True if a cgroup's CPU quota gives this process less than two CPUs' time. Reads files: not for
 * lock paths. */
bool own_cpu_quota_below_two(void);

#endif
