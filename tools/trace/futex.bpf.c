// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Counts futex calls where they enter and leave the kernel.
 *
 * All programs are of type tp_btf: these need no tracefs, read kernel structures by plain loads (so
 * they pass a kernel locked down to "confidentiality" as well), and are allowed where fentry is
 * refused. sys_enter and sys_exit see every system call; anything but a futex call leaves after a
 * few comparisons.
 *
 * `threads` holds the followed threads: the command's first one enters it by the cookie call below,
 * the others are put there by the command (-p) or by their first call (-a), and children inherit
 * it from their parents. A call is noted in the thread's entry on its way in and counted on its way
 * out; what has entered and not left is in progress.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "kernel.h"
#include "shared.h"
#include "calls.h"
#include "unwind.bpf.h"
#include "tables.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile __u32 own_by;
const volatile bool own_follow_all;
const volatile __u64 own_cookie;

bool own_stopped;
__u32 own_cookie_tid; /* tid of the last cookie call in the initial PID namespace */

/* The address of the first word in futex_waitv's (or futex_requeue's) array. */
static __u64 first_word(__u64 array)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (const void *)(array + 8));
	return word;
}

/* `operation` NOT_FUTEX: the call in progress is none that counts. */
static void follow(__u32 tid, __u32 tgid, __u32 operation)
{
	struct own_trace_thread fresh = {.tgid = tgid, .operation = operation};
	struct own_trace_totals *sum;

	if (bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY) == 0)
		return;
	sum = get_totals();
	if (sum)
		sum->threads_lost++;
}

static struct own_trace_thread *current_thread(bool enter)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tid = (__u32)id;
	struct own_trace_thread fresh = {.tgid = id >> 32};
	struct own_trace_thread *thread = bpf_map_lookup_elem(&threads, &tid);

	if (thread || !own_follow_all || !enter)
		return thread;
	bpf_map_update_elem(&threads, &tid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&threads, &tid);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(own_sys_enter, struct pt_regs *regs, long id)
{
	struct own_trace_thread *thread;
	struct own_trace_totals *sum;
	struct call call = {};
	__u32 operation;
	bool compat;

	if (!may_be_futex(id) || own_stopped)
		return 0;
	compat = is_compat();
	read_arguments(regs, compat, &call);
	operation = classify_call(id, compat, call.operation);
	if (own_cookie && call.word == own_cookie && operation == OWN_TRACE_OP_WAKE) {
		__u64 self = bpf_get_current_pid_tgid();

		own_cookie_tid = (__u32)self;
		if (call.operation & 128) /* FUTEX_PRIVATE_FLAG: "and follow me" */
			follow((__u32)self, self >> 32, NOT_FUTEX);
		return 0;
	}
	if (operation == NOT_FUTEX && !is_restart(id, compat))
		return 0;
	sum = get_totals();
	if (!sum)
		return 0;
	thread = current_thread(operation != NOT_FUTEX);
	if (!thread) {
		if (own_follow_all && operation != NOT_FUTEX)
			sum->calls_lost++;
		return 0;
	}
	if (operation == NOT_FUTEX) {
		if (!thread->resumable)
			return 0;
		sum->waits_resumed++;
		operation = thread->operation;
	} else {
		if (operation == OWN_TRACE_OP_WAITV || operation == OWN_TRACE_OP_REQUEUE2)
			call.word = first_word(call.word);
		thread->word = call.word;
		thread->operation = operation;
	}
	thread->resumable = 0;
	thread->lock_start_ns = 0;
	thread->lock_ns = 0;
	thread->lock_calls = 0;
	if (operation <= OWN_TRACE_LAST_WAIT_OP)
		sum->waits_started++;
	thread->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* A wait or a wake has returned. */
static void count_outcome(void *context, struct pt_regs *regs, struct own_trace_totals *sum,
			  struct own_trace_thread *thread, long result, __u64 time_ns)
{
	__u32 operation = thread->operation;
	bool wait = operation <= OWN_TRACE_LAST_WAIT_OP;
	struct ended ended = {.class = classify_return(operation, result), .time_ns = time_ns};
	__u32 class = ended.class;

	CHECK_HERE(class);
	if (class >= OWN_TRACE_CLASSES)
		return;
	add_timing(&sum->classes[class], time_ns);
	if (thread->lock_calls)
		add_timing(&sum->lock[class], thread->lock_ns);
	if (wait) {
		__u32 index = return_index(result);

		CHECK_HERE(index);
		if (index < OWN_TRACE_RETURNS)
			sum->returns[index]++;
		thread->resumable = result == -516;
	} else if (result > 0) {
		ended.woken = result;
		sum->threads_woken += result;
	}
	if (own_by & OWN_TRACE_BY_WORD)
		add_word(sum, thread, &ended);
	if (own_by & OWN_TRACE_BY_THREAD)
		add_name(sum, &ended);
	if (own_by & OWN_TRACE_BY_SITE)
		add_site(context, regs, sum, thread, &ended);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(own_sys_exit, struct pt_regs *regs, long result)
{
	struct own_trace_thread *thread;
	struct own_trace_totals *sum;
	long id = syscall_number(regs);
	__u64 start_ns, time_ns;
	__u32 operation;

	if (!may_be_futex(id) || own_stopped)
		return 0;
	sum = get_totals();
	if (!sum)
		return 0;
	thread = current_thread(false);
	if (!thread) {
		if (own_follow_all && classify_call(id, is_compat(), 0) != NOT_FUTEX)
			sum->began_before++;
		return 0;
	}
	start_ns = thread->start_ns;
	if (!start_ns) {
		if (thread->operation != NOT_FUTEX &&
		    classify_call(id, is_compat(), 0) != NOT_FUTEX)
			sum->began_before++;
		return 0;
	}
	time_ns = bpf_ktime_get_ns() - start_ns;
	thread->start_ns = 0;
	operation = thread->operation;
	CHECK_HERE(operation);
	if (operation >= OWN_TRACE_OPERATIONS)
		return 0;
	sum->calls[operation]++;
	if (result < 0)
		sum->failed[operation]++;
	if (operation <= OWN_TRACE_LAST_WAKE_OP)
		count_outcome(ctx, regs, sum, thread, result, time_ns);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(own_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tid = parent->pid;

	if (bpf_map_lookup_elem(&threads, &tid))
		follow(child->pid, child->tgid, NOT_FUTEX);
	return 0;
}

/* A thread that executes a program takes over the tid of its process. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(own_exec, struct task_struct *task, int old_tid)
{
	__u32 tid = old_tid;

	if (task->pid == old_tid || !bpf_map_lookup_elem(&threads, &tid))
		return 0;
	bpf_map_delete_elem(&threads, &tid);
	follow(task->pid, task->tgid, NOT_FUTEX);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(own_exit, struct task_struct *task)
{
	__u32 tid = task->pid;

	bpf_map_delete_elem(&threads, &tid);
	return 0;
}
