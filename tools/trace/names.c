/* Names of classes, operations and return values; bounds of the histogram. */
#include "trace.h"

const char *const own_trace_class_names[OWN_TRACE_CLASSES] = {
    [OWN_TRACE_WOKEN] = "woken",
    [OWN_TRACE_MISMATCH] = "mismatch",
    [OWN_TRACE_TIMEOUT] = "timeout",
    [OWN_TRACE_INTERRUPTED] = "interrupted",
    [OWN_TRACE_OTHER] = "other",
    [OWN_TRACE_WAKE] = "woke_some",
    [OWN_TRACE_WAKE_EMPTY] = "woke_nobody",
    [OWN_TRACE_WAKE_FAILED] = "failed",
};

const char *const own_trace_operation_names[OWN_TRACE_OPERATIONS] = {
    [OWN_TRACE_OP_WAIT] = "FUTEX_WAIT",
    [OWN_TRACE_OP_WAIT_BITSET] = "FUTEX_WAIT_BITSET",
    [OWN_TRACE_OP_WAIT2] = "futex_wait",
    [OWN_TRACE_OP_WAITV] = "futex_waitv",
    [OWN_TRACE_OP_WAKE] = "FUTEX_WAKE",
    [OWN_TRACE_OP_WAKE_BITSET] = "FUTEX_WAKE_BITSET",
    [OWN_TRACE_OP_WAKE2] = "futex_wake",
    [OWN_TRACE_OP_WAKE_OP] = "FUTEX_WAKE_OP",
    [OWN_TRACE_OP_REQUEUE] = "FUTEX_REQUEUE",
    [OWN_TRACE_OP_CMP_REQUEUE] = "FUTEX_CMP_REQUEUE",
    [OWN_TRACE_OP_REQUEUE2] = "futex_requeue",
    [OWN_TRACE_OP_LOCK_PI] = "FUTEX_LOCK_PI",
    [OWN_TRACE_OP_LOCK_PI2] = "FUTEX_LOCK_PI2",
    [OWN_TRACE_OP_TRYLOCK_PI] = "FUTEX_TRYLOCK_PI",
    [OWN_TRACE_OP_UNLOCK_PI] = "FUTEX_UNLOCK_PI",
    [OWN_TRACE_OP_WAIT_REQUEUE_PI] = "FUTEX_WAIT_REQUEUE_PI",
    [OWN_TRACE_OP_CMP_REQUEUE_PI] = "FUTEX_CMP_REQUEUE_PI",
    [OWN_TRACE_OP_UNKNOWN] = "unknown",
};

int own_trace_return_value(unsigned index)
{
	if (index < OWN_TRACE_RETURN_RESTART)
		return -(int)index;
	return -512 - (int)(index - OWN_TRACE_RETURN_RESTART);
}

const char *own_trace_return_name(unsigned index)
{
	switch (own_trace_return_value(index)) {
	case 0:
		return "woken";
	case -1:
		return "EPERM";
	case -4:
		return "EINTR";
	case -11:
		return "EAGAIN";
	case -12:
		return "ENOMEM";
	case -13:
		return "EACCES";
	case -14:
		return "EFAULT";
	case -22:
		return "EINVAL";
	case -38:
		return "ENOSYS";
	case -110:
		return "ETIMEDOUT";
	case -512:
		return "ERESTARTSYS";
	case -513:
		return "ERESTARTNOINTR";
	case -514:
		return "ERESTARTNOHAND";
	case -516:
		return "ERESTART_RESTARTBLOCK";
	default:
		return index == OWN_TRACE_RETURN_UNKNOWN ? "unknown" : "other";
	}
}

__u64 own_trace_bucket_from(unsigned bucket)
{
	return bucket ? (__u64)OWN_TRACE_HISTOGRAM_UNIT_NS << (bucket - 1) : 0;
}
