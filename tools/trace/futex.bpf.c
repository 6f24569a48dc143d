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

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile struct own_trace_numbers own_numbers;
const volatile __u32 own_by;
const volatile bool own_follow_all;
const volatile __u64 own_cookie;

bool own_stopped;
__u32 own_cookie_tid; /* tid of the last cookie call in the initial PID namespace */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct own_trace_totals);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct own_trace_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct own_trace_word_key);
	__type(value, struct own_trace_row);
} words SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 2048);
	__type(key, struct own_trace_name_key);
	__type(value, struct own_trace_row);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct own_trace_site_key);
	__type(value, struct own_trace_row);
} sites SEC(".maps");

static const struct own_trace_row zero_row;

static struct own_trace_totals *get_totals(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&totals, &zero);
}

/* Arguments of a system call, as far as they are needed. */
struct call {
	__u64 word;
	__u64 operation; /* raw: with flags */
	__u64 count;
};

#define NOT_FUTEX OWN_TRACE_OPERATIONS

static __u32 futex_operation(__u64 raw)
{
	switch (raw & 127) {
	case 0:
		return OWN_TRACE_OP_WAIT;
	case 1:
		return OWN_TRACE_OP_WAKE;
	case 3:
		return OWN_TRACE_OP_REQUEUE;
	case 4:
		return OWN_TRACE_OP_CMP_REQUEUE;
	case 5:
		return OWN_TRACE_OP_WAKE_OP;
	case 6:
		return OWN_TRACE_OP_LOCK_PI;
	case 7:
		return OWN_TRACE_OP_UNLOCK_PI;
	case 8:
		return OWN_TRACE_OP_TRYLOCK_PI;
	case 9:
		return OWN_TRACE_OP_WAIT_BITSET;
	case 10:
		return OWN_TRACE_OP_WAKE_BITSET;
	case 11:
		return OWN_TRACE_OP_WAIT_REQUEUE_PI;
	case 12:
		return OWN_TRACE_OP_CMP_REQUEUE_PI;
	case 13:
		return OWN_TRACE_OP_LOCK_PI2;
	default:
		return OWN_TRACE_OP_UNKNOWN;
	}
}

static bool is_compat(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

#if defined(__TARGET_ARCH_x86)
	if (bpf_core_field_exists(task->thread_info.status))
		return task->thread_info.status & OWN_TS_COMPAT;
	return false;
#else
	return task->thread_info.flags & OWN_TIF_32BIT;
#endif
}

static void read_arguments(struct pt_regs *regs, bool compat, struct call *call)
{
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		call->word = (__u32)regs->bx;
		call->operation = (__u32)regs->cx;
		return;
	}
	call->word = regs->di;
	call->operation = regs->si;
#else
	call->word = regs->regs[0];
	call->operation = regs->regs[1];
#endif
}

static long syscall_number(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (long)regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

/* True for the numbers that may be a futex call in the task's own or in its 32-bit numbering. */
static bool may_be_futex(long id)
{
	return id == own_numbers.futex || id == own_numbers.restart || id == own_numbers.waitv ||
	       id == own_numbers.wait2 || id == own_numbers.wake2 || id == own_numbers.requeue2 ||
	       id == own_numbers.compat_futex || id == own_numbers.compat_futex_time64 ||
	       id == own_numbers.compat_restart;
}

static bool is_restart(long id, bool compat)
{
	return id == (compat ? own_numbers.compat_restart : own_numbers.restart);
}

/* The numbers from 424 on are the same in every numbering. */
static __u32 classify_call(long id, bool compat, __u64 raw_operation)
{
	if (compat) {
		if (id == own_numbers.compat_futex || id == own_numbers.compat_futex_time64)
			return futex_operation(raw_operation);
	} else if (id == own_numbers.futex) {
		return futex_operation(raw_operation);
	}
	if (id == own_numbers.waitv)
		return OWN_TRACE_OP_WAITV;
	if (id == own_numbers.wait2)
		return OWN_TRACE_OP_WAIT2;
	if (id == own_numbers.wake2)
		return OWN_TRACE_OP_WAKE2;
	if (id == own_numbers.requeue2)
		return OWN_TRACE_OP_REQUEUE2;
	return NOT_FUTEX;
}

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

static __u32 classify_return(__u32 operation, long result)
{
	if (operation > OWN_TRACE_LAST_WAIT_OP) {
		if (result < 0)
			return OWN_TRACE_WAKE_FAILED;
		return result ? OWN_TRACE_WAKE : OWN_TRACE_WAKE_EMPTY;
	}
	if (result >= 0)
		return OWN_TRACE_WOKEN;
	switch (result) {
	case -11:
		return OWN_TRACE_MISMATCH;
	case -110:
		return OWN_TRACE_TIMEOUT;
	case -4:
	case -512:
	case -513:
	case -514:
	case -516:
		return OWN_TRACE_INTERRUPTED;
	default:
		return OWN_TRACE_OTHER;
	}
}

static __u32 return_index(long result)
{
	if (result >= 0)
		return 0;
	if (result >= -133)
		return -result;
	if (result <= -512 && result >= -516)
		return OWN_TRACE_RETURN_RESTART + (-result - 512);
	return OWN_TRACE_RETURN_UNKNOWN;
}

static __u32 histogram_bucket(__u64 time_ns)
{
	__u64 value = time_ns / OWN_TRACE_HISTOGRAM_UNIT_NS;
	__u32 bucket = 0;

	if (value >> 32) {
		bucket += 32;
		value >>= 32;
	}
	if (value >> 16) {
		bucket += 16;
		value >>= 16;
	}
	if (value >> 8) {
		bucket += 8;
		value >>= 8;
	}
	if (value >> 4) {
		bucket += 4;
		value >>= 4;
	}
	if (value >> 2) {
		bucket += 2;
		value >>= 2;
	}
	/* value is 0 to 3: its length in bits. Bucket 0 is kept for "below the unit". */
	bucket += value >> 1;
	if (time_ns >= OWN_TRACE_HISTOGRAM_UNIT_NS)
		bucket++;
	return bucket < OWN_TRACE_BUCKETS ? bucket : OWN_TRACE_BUCKETS - 1;
}

static void add_timing(struct own_trace_timing *timing, __u64 time_ns)
{
	__u32 bucket = histogram_bucket(time_ns);

	timing->count++;
	timing->time_ns += time_ns;
	if (bucket < OWN_TRACE_BUCKETS)
		timing->histogram[bucket]++;
}

struct ended {
	__u32 class;
	__u32 woken;
	__u64 time_ns;
};

static void add_shared(struct own_trace_row *row, const struct ended *ended)
{
	__u32 class = ended->class;

	if (class >= OWN_TRACE_CLASSES)
		return;
	__sync_fetch_and_add(&row->count[class], 1);
	__sync_fetch_and_add(&row->time_ns[class], ended->time_ns);
	if (ended->woken)
		__sync_fetch_and_add(&row->threads_woken, ended->woken);
}

static struct own_trace_row *find_row(void *map, const void *key)
{
	struct own_trace_row *row = bpf_map_lookup_elem(map, key);

	if (row)
		return row;
	bpf_map_update_elem(map, key, &zero_row, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static void add_word(struct own_trace_totals *sum, struct own_trace_thread *thread,
		     const struct ended *ended)
{
	struct own_trace_word_key key = {.address = thread->word, .tgid = thread->tgid};
	struct own_trace_row *row = find_row(&words, &key);

	if (row)
		add_shared(row, ended);
	else
		sum->words_lost++;
}

static void add_name(struct own_trace_totals *sum, const struct ended *ended)
{
	struct own_trace_name_key key = {};
	struct own_trace_row *row;
	__u32 class = ended->class;

	bpf_get_current_comm(key.name, sizeof(key.name));
	row = find_row(&names, &key);
	if (!row || class >= OWN_TRACE_CLASSES) {
		sum->names_lost++;
		return;
	}
	row->count[class]++;
	row->time_ns[class] += ended->time_ns;
	row->threads_woken += ended->woken;
}

static void add_site(void *context, struct own_trace_totals *sum, struct own_trace_thread *thread,
		     const struct ended *ended)
{
	struct own_trace_site_key key = {.tgid = thread->tgid};
	struct own_trace_row *row;

	if (bpf_get_stack(context, key.frames, sizeof(key.frames), BPF_F_USER_STACK) <= 0)
		sum->stacks_failed++;
	row = find_row(&sites, &key);
	if (row)
		add_shared(row, ended);
	else
		sum->sites_lost++;
}

/* A wait or a wake has returned. */
static void count_outcome(void *context, struct own_trace_totals *sum,
			  struct own_trace_thread *thread, long result, __u64 time_ns)
{
	__u32 operation = thread->operation;
	bool wait = operation <= OWN_TRACE_LAST_WAIT_OP;
	struct ended ended = {.class = classify_return(operation, result), .time_ns = time_ns};
	__u32 class = ended.class;

	if (class >= OWN_TRACE_CLASSES)
		return;
	add_timing(&sum->classes[class], time_ns);
	if (wait) {
		__u32 index = return_index(result);

		if (index < OWN_TRACE_RETURNS)
			sum->returns[index]++;
		if (thread->lock_calls && class < OWN_TRACE_WAIT_CLASSES)
			add_timing(&sum->lock[class], thread->lock_ns);
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
		add_site(context, sum, thread, &ended);
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
	if (operation >= OWN_TRACE_OPERATIONS)
		return 0;
	sum->calls[operation]++;
	if (result < 0)
		sum->failed[operation]++;
	if (operation <= OWN_TRACE_LAST_WAKE_OP)
		count_outcome(ctx, sum, thread, result, time_ns);
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
