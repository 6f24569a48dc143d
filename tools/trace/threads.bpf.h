// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * For the programs that time the bucket lock, beside futex.bpf.c: the call that the current thread
 * is in.
 */
#ifndef OWN_TRACE_THREADS_BPF_H
#define OWN_TRACE_THREADS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "shared.h"

/* The map of futex.bpf.c, put in its place before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct own_trace_thread);
} threads SEC(".maps");

static struct own_trace_thread *thread_in_call(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct own_trace_thread *thread = bpf_map_lookup_elem(&threads, &tid);

	return thread && thread->start_ns ? thread : NULL;
}

#endif
