// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Time to get the bucket lock, where the kernel allows fentry: from entering futex_q_lock, which
 * hashes the word and takes the lock, until it returns. A mismatched wait has then taken the lock
 * for nothing. futex.bpf.c adds it to the outcome when the call returns.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "threads.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

SEC("fentry/futex_q_lock")
int own_lock_enter(void *context)
{
	struct own_trace_thread *thread = thread_in_call();

	(void)context;
	if (thread)
		thread->lock_start_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/futex_q_lock")
int own_lock_exit(void *context)
{
	struct own_trace_thread *thread = thread_in_call();

	(void)context;
	if (thread && thread->lock_start_ns) {
		thread->lock_ns += bpf_ktime_get_ns() - thread->lock_start_ns;
		thread->lock_calls++;
		thread->lock_start_ns = 0;
	}
	return 0;
}
