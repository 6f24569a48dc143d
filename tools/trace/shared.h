/*
 * What the BPF programs write and the command reads: values and keys of the maps. Included by both
 * sides, so it holds fixed-size types alone.
 */
#ifndef OWN_TRACE_SHARED_H
#define OWN_TRACE_SHARED_H

#include <linux/types.h>

/* How a futex call ended. The first five are waits, the rest wakes. */
enum own_trace_class {
	OWN_TRACE_WOKEN,
	OWN_TRACE_MISMATCH,    /* EAGAIN */
	OWN_TRACE_TIMEOUT,     /* ETIMEDOUT */
	OWN_TRACE_INTERRUPTED, /* EINTR and the restart codes that user space never sees */
	OWN_TRACE_OTHER,       /* any other error */
	OWN_TRACE_WAKE,	       /* woke at least one thread */
	OWN_TRACE_WAKE_EMPTY,  /* woke nobody */
	OWN_TRACE_WAKE_FAILED, /* an error */
	OWN_TRACE_CLASSES,
	OWN_TRACE_WAIT_CLASSES = OWN_TRACE_WAKE
};

/*
 * Operations. The waits come first and the plain wakes next; what follows is counted by call, not
 * by outcome.
 */
enum own_trace_operation {
	OWN_TRACE_OP_WAIT,
	OWN_TRACE_OP_WAIT_BITSET,
	OWN_TRACE_OP_WAIT2, /* futex_wait(2) */
	OWN_TRACE_OP_WAITV, /* futex_waitv(2) */
	OWN_TRACE_OP_WAKE,
	OWN_TRACE_OP_WAKE_BITSET,
	OWN_TRACE_OP_WAKE2, /* futex_wake(2) */
	OWN_TRACE_OP_WAKE_OP,
	OWN_TRACE_OP_REQUEUE,
	OWN_TRACE_OP_CMP_REQUEUE,
	OWN_TRACE_OP_REQUEUE2, /* futex_requeue(2) */
	OWN_TRACE_OP_LOCK_PI,
	OWN_TRACE_OP_LOCK_PI2,
	OWN_TRACE_OP_TRYLOCK_PI,
	OWN_TRACE_OP_UNLOCK_PI,
	OWN_TRACE_OP_WAIT_REQUEUE_PI,
	OWN_TRACE_OP_CMP_REQUEUE_PI,
	OWN_TRACE_OP_UNKNOWN,
	OWN_TRACE_OPERATIONS,
	OWN_TRACE_LAST_WAIT_OP = OWN_TRACE_OP_WAITV,
	OWN_TRACE_LAST_WAKE_OP = OWN_TRACE_OP_WAKE2
};

/*
 * Bucket 0 holds durations below 125 ns, bucket b those of [125 * 2^(b-1), 125 * 2^b) ns. So every
 * power of two of a microsecond is a bound, and one microsecond is bound 4.
 */
#define OWN_TRACE_HISTOGRAM_UNIT_NS 125
#define OWN_TRACE_BUCKETS	    40
#define OWN_TRACE_BUCKET_1US	    4

struct own_trace_timing {
	__u64 count;
	__u64 time_ns;
	__u64 histogram[OWN_TRACE_BUCKETS];
};

/* Return values of waits: 0 stands for woken, errno up to 133 as is, 512 to 516 from here on. */
#define OWN_TRACE_RETURN_RESTART 140
#define OWN_TRACE_RETURN_UNKNOWN 146
#define OWN_TRACE_RETURNS	 148

/* One per CPU; written with preemption off, so plain additions are exact. */
struct own_trace_totals {
	__u64 waits_started;
	__u64 waits_resumed; /* of these: went on by restart_syscall after an interruption */
	__u64 threads_woken;
	__u64 began_before; /* returned, but had been called before tracing began */
	__u64 threads_lost; /* new threads that found no room, so that their calls are missing */
	__u64 calls_lost;   /* calls of threads that found no room */
	__u64 words_lost;   /* calls missing in the table by word */
	__u64 names_lost;
	__u64 sites_lost;
	__u64 stacks_failed; /* calls whose stack could not be read: filed under an empty one */
	__u64 padding[6];
	struct own_trace_timing classes[OWN_TRACE_CLASSES];
	struct own_trace_timing lock[OWN_TRACE_CLASSES]; /* getting the bucket lock */
	__u64 calls[OWN_TRACE_OPERATIONS];
	__u64 failed[OWN_TRACE_OPERATIONS];
	__u64 returns[OWN_TRACE_RETURNS];
};

/* A followed thread; key: its tid. Only the thread itself writes it once it is there. */
struct own_trace_thread {
	__u64 start_ns; /* of the call in progress, 0: none */
	__u64 word;
	__u64 lock_start_ns; /* waiting for the bucket lock since then, 0: not */
	__u64 lock_address;
	__u64 lock_ns;
	__u32 lock_calls;
	__u32 operation;
	__u32 tgid;
	__u32 resumable; /* the last wait may go on by restart_syscall */
};

/* A row of the tables by word, by name and by site. */
struct own_trace_row {
	__u64 count[OWN_TRACE_CLASSES];
	__u64 time_ns[OWN_TRACE_CLASSES];
	__u64 threads_woken;
};

struct own_trace_word_key {
	__u64 address;
	__u32 tgid;
	__u32 padding;
};

struct own_trace_name_key {
	char name[16];
};

#define OWN_TRACE_FRAMES 12

struct own_trace_site_key {
	__u32 tgid;
	__u32 padding;
	__u64 frames[OWN_TRACE_FRAMES]; /* innermost first, zeros behind the last */
};

/*
 * How to get from a code address to its caller, for programs without frame pointers: from the
 * call-frame information of the file, by the command. The key is one byte below the return address,
 * so inside the call.
 */
struct own_trace_unwind_key {
	__u64 address;
	__u32 tgid;
	__u32 padding;
};

enum own_trace_unwind_base {
	OWN_TRACE_UNWIND_END, /* there is no caller, or none that can be found */
	OWN_TRACE_UNWIND_SP,
	OWN_TRACE_UNWIND_BP
};

struct own_trace_unwind {
	__u32 base;	  /* enum own_trace_unwind_base */
	__s32 cfa_offset; /* base + this = frame address; the return address lies 8 below */
	__s32 bp_offset;  /* the caller's BP lies at the frame address + this; 0: BP is unchanged */
	__u32 padding;
};

#define OWN_TRACE_BY_WORD   1u
#define OWN_TRACE_BY_THREAD 2u
#define OWN_TRACE_BY_SITE   4u

/* Kernel functions, [from, to). */
struct own_trace_range {
	__u64 from;
	__u64 to;
};
#define OWN_TRACE_RANGES 16

/* System call numbers of this machine; -1: none. */
struct own_trace_numbers {
	__s32 futex;
	__s32 waitv;
	__s32 wake2;
	__s32 wait2;
	__s32 requeue2;
	__s32 restart;
	__s32 compat_futex;
	__s32 compat_futex_time64;
	__s32 compat_restart;
};

#endif
