/* Which CPU this is, and how many the process may use. */
#ifndef OWN_SYS_CPU_H
#define OWN_SYS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "sys/thread.h"

/* Registered by the C library (2.35 and later) for each thread; absent elsewhere. */
extern const ptrdiff_t __rseq_offset OWN_WEAK;
extern const unsigned int __rseq_size OWN_WEAK;

/*
 * Where the kernel keeps the number of the CPU that the calling thread runs on, for as long as the
 * thread lives; NULL when it does not.
 */
static inline const volatile uint32_t *own_cpu_word(void)
{
	const char *thread;

	if (!&__rseq_offset || !&__rseq_size || __rseq_size == 0)
		return NULL;
#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(thread));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
#else
	return NULL;
#endif
	/* struct rseq: cpu_id_start, cpu_id; negative while it is not registered */
	return (const volatile uint32_t *)(thread + __rseq_offset + 4);
}

/*
 * A short name for the CPU that the caller runs on: its number plus one, cut to 16 bits; 0 when it
 * cannot be told by one load, and before the thread's tid was asked for.
 */
static inline uint16_t own_cpu_mark(void)
{
	const volatile uint32_t *word = own_self.cpu_word;

	return own_likely(word != NULL) ? (uint16_t)(*word + 1) : 0;
}

/* True if a cgroup's CPU quota gives this process less than two CPUs' time. Reads files: not for
 * lock paths. */
bool own_cpu_quota_below_two(void);

#endif
