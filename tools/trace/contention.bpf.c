// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Time spent waiting for a contended bucket lock, where fentry is refused: the kernel's own
 * contention tracepoints, which fire when a spin lock is not to be had at once. Whether it is a
 * bucket's is seen by who asked for it: the function right above _raw_spin_lock in the kernel's
 * stack is one of kernel/futex. Uncontended acquisitions are not seen; they cost next to nothing.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "threads.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define SPIN   1u /* LCB_F_SPIN */
#define FRAMES 8

/* _raw_spin_lock and its kind (unused ranges are empty), and the code of kernel/futex. */
const volatile struct own_trace_range own_lock_functions[OWN_TRACE_RANGES];
const volatile struct own_trace_range own_futex_functions;

static bool is_lock_function(__u64 address)
{
	for (int i = 0; i < OWN_TRACE_RANGES; i++)
		if (address >= own_lock_functions[i].from && address < own_lock_functions[i].to)
			return true;
	return false;
}

static bool is_bucket_lock(void *context)
{
	__u64 frames[FRAMES] = {};
	bool below_lock = false;

	if (bpf_get_stack(context, frames, sizeof(frames), 0) <= 0)
		return false;
	for (int i = 0; i < FRAMES; i++) {
		bool lock = is_lock_function(frames[i]);

		if (below_lock && !lock)
			return frames[i] >= own_futex_functions.from &&
			       frames[i] < own_futex_functions.to;
		below_lock = lock;
	}
	return false;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(own_contention_begin, void *lock, unsigned int flags)
{
	struct own_trace_thread *thread;

	if (!(flags & SPIN))
		return 0;
	thread = thread_in_call();
	/* In an interrupt amid another wait for a lock the outer one goes on. */
	if (!thread || thread->lock_start_ns || !is_bucket_lock(ctx))
		return 0;
	thread->lock_address = (__u64)lock;
	thread->lock_start_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(own_contention_end, void *lock, int result)
{
	struct own_trace_thread *thread = thread_in_call();

	if (!thread || !thread->lock_start_ns || thread->lock_address != (__u64)lock)
		return 0;
	thread->lock_ns += bpf_ktime_get_ns() - thread->lock_start_ns;
	thread->lock_calls++;
	thread->lock_start_ns = 0;
	return 0;
}
