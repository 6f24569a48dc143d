/* Which futex operation a system call is, and what its return value means. BPF side. */
#ifndef OWN_TRACE_CALLS_H
#define OWN_TRACE_CALLS_H

const volatile struct own_trace_numbers own_numbers;

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

#endif
