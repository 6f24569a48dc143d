/*
 * The memory that holds every counter: its layout is shared by the runtime, which writes it, and by
 * the ownline command, which reads it while the process runs and after the process has died.
 *
 * A region is one memfd of the launcher. It starts with a header of OWN_PAGE_MAX bytes; behind it
 * lie `segment_count` segments. Each process image takes one segment: a fork child and an image
 * after exec take another one, so no two processes write the same counters. A process that finds
 * no free segment counts itself in `segments_refused` and uses private memory instead, as one
 * without a launcher does.
 *
 * A segment in which nothing was counted is given back, cleared, when its process ends: by the
 * process itself at exit, by the launcher otherwise. So a script may run any number of commands.
 *
 * Every field is written by relaxed atomics or before `state` is released; a reader sees each
 * counter whole, and two counters at slightly different moments while the process runs.
 */
#ifndef OWN_STATS_REGION_H
#define OWN_STATS_REGION_H

#include "base/atomic.h"
#include "base/compiler.h"

#include <stddef.h>

#define OWN_REGION_MAGIC UINT64_C(0x31656e696c6e776f) /* "ownline1" */

enum own_wait_outcome {
	OWN_WAIT_WOKEN,	      /* FUTEX_WAIT returned 0 */
	OWN_WAIT_MISMATCH,    /* EAGAIN: the word had changed before the kernel compared it */
	OWN_WAIT_TIMEOUT,     /* ETIMEDOUT */
	OWN_WAIT_INTERRUPTED, /* EINTR: a signal handler ran */
	OWN_WAIT_OUTCOMES
};

/* Bucket b counts durations of [2^b, 2^(b+1)) ns; bucket 0 holds 0 and 1 ns as well. */
#define OWN_HISTOGRAM_BUCKETS 40

struct own_outcome {
	_Atomic uint64_t count;
	_Atomic uint64_t time_ns; /* in the kernel, sum */
	_Atomic uint64_t histogram[OWN_HISTOGRAM_BUCKETS];
};

/* One thread's counters: that thread alone writes them. */
struct own_counters {
	struct own_outcome waits[OWN_WAIT_OUTCOMES];
	_Atomic uint64_t wakes;		  /* FUTEX_WAKE calls made */
	_Atomic uint64_t wakes_empty;	  /* of these: woke nobody */
	_Atomic uint64_t wakes_saved;	  /* notified a waiter that was still spinning */
	_Atomic uint64_t spurious;	  /* FUTEX_WAIT returned 0, but nobody had notified */
	_Atomic uint64_t contended;	  /* lock calls that did not get the lock at once */
	_Atomic uint64_t spin_acquired;	  /* of these: got it before they queued */
	_Atomic uint64_t queued;	  /* of these: entered the queue */
	_Atomic uint64_t handoffs;	  /* locks handed over to a waiter past its bound */
	_Atomic uint64_t cond_waits;	  /* condition waits that entered the queue */
	_Atomic uint64_t cond_spun;	  /* of these: notified before they parked */
	_Atomic uint64_t requeues;	  /* condition waiters moved to the mutex's queue */
	_Atomic uint64_t fallback_sleeps; /* slept because no parker could be had */
	_Atomic uint64_t bucket_known;	  /* waits whose futex bucket could be predicted */
	_Atomic uint64_t bucket_shared;	  /* of these: another waiter of ours stood in it */
	_Atomic uint64_t longest_wait_ns; /* from entering a mutex queue to owning the mutex */
};

enum own_object_kind {
	OWN_OBJECT_MUTEX = 1,
	OWN_OBJECT_COND = 2,
};

/* Values of own_lock_record.site that are no address. */
enum own_site {
	OWN_SITE_TAKING = 0, /* the record is being taken */
	OWN_SITE_UNKNOWN = 1,
	OWN_SITE_NAME = 2, /* the record holds the object's name and counts nothing */
};

/* One lock or condition variable as seen from one calling site; many threads add to it. */
struct own_lock_record {
	_Atomic uint64_t object;  /* address; 0: free */
	_Atomic uint64_t site;	  /* return address of the call, or one of enum own_site */
	_Atomic uint64_t queued;  /* times that a thread entered the queue from here */
	_Atomic uint64_t time_ns; /* from entering the queue until done, sum */
	_Atomic uint64_t longest_ns;
	_Atomic uint64_t outcomes[OWN_WAIT_OUTCOMES];
	_Atomic uint64_t spun;		 /* of `queued`: never parked */
	_Atomic uint32_t kind;		 /* enum own_object_kind */
	_Atomic uint32_t name_withdrawn; /* the object has no name any more */
	_Atomic uint64_t name;		 /* offset into own_segment.names, 0: none */
	uint64_t padding[4];
};
_Static_assert(sizeof(struct own_lock_record) == OWN_CACHELINE_PAIR, "a record fills two lines");

#define OWN_RECORDS	1024 /* a power of two */
#define OWN_THREADS	1024 /* threads with counters of their own; more share `shared` */
#define OWN_MODULES	256
#define OWN_MODULE_PATH 232
#define OWN_NAMES_BYTES 16384

/* A mapped ELF file, so that a reader can name an address after the process has gone. */
struct own_module {
	_Atomic uint64_t start; /* lowest mapped address */
	_Atomic uint64_t end;	/* one past the highest */
	uint64_t bias;		/* load bias: address - bias = address in the file's symbol table */
	char path[OWN_MODULE_PATH];
};

struct own_thread_slot {
	/* They stay when a thread ends: they still count. */
	_Alignas(OWN_CACHELINE_PAIR) struct own_counters counters;
};
_Static_assert(sizeof(struct own_thread_slot) % OWN_CACHELINE_PAIR == 0, "slots share no line");

enum own_segment_state {
	OWN_SEGMENT_FREE,
	OWN_SEGMENT_RUNNING,
	OWN_SEGMENT_EXITED, /* wrote itself off in an orderly way (exit) */
};

enum own_image {
	OWN_IMAGE_FIRST, /* started by the launcher */
	OWN_IMAGE_FORK,
	OWN_IMAGE_EXEC, /* by exec or spawn */
};

/* Values of own_segment.futex_slots that are no number of slots; no table has one slot. */
enum own_hash_state {
	OWN_HASH_NONE = 0, /* the process has not had threads */
	OWN_HASH_GLOBAL = 1,
	OWN_HASH_UNKNOWN = INT32_MAX - 1, /* asking is not permitted */
	OWN_HASH_MISSING = INT32_MAX,	  /* a kernel without private hashes */
};

struct own_segment {
	_Atomic uint32_t state; /* enum own_segment_state */
	_Atomic int32_t pid;
	_Atomic int32_t ppid;
	_Atomic uint32_t image;	      /* enum own_image */
	_Atomic uint64_t start_ns;    /* CLOCK_MONOTONIC */
	_Atomic uint64_t end_ns;      /* 0 while it runs */
	_Atomic uint32_t futex_slots; /* when last read; or one of enum own_hash_state */
	_Atomic uint32_t
	    foreign; /* another PID namespace than the launcher's: pid means nothing there */
	_Atomic uint32_t modules_stale; /* a site lay outside every known module */
	_Atomic uint32_t module_count;
	_Atomic uint32_t names_used;
	_Atomic uint32_t threads_used;	   /* slots at and above this index were never taken */
	_Atomic uint32_t records_used;	   /* records taken, of whatever kind */
	_Atomic uint64_t records_overflow; /* waits that found no free record */
	_Atomic uint64_t threads_overflow; /* threads that found no free slot */
	char command[256];		   /* /proc/self/cmdline, spaces for zero bytes, cut */
	_Alignas(OWN_CACHELINE_PAIR) struct own_counters
	    shared; /* threads without a slot add here, by atomic additions */
	_Alignas(OWN_CACHELINE_PAIR) struct own_lock_record records[OWN_RECORDS];
	_Alignas(OWN_CACHELINE_PAIR) struct own_thread_slot threads[OWN_THREADS];
	struct own_module modules[OWN_MODULES];
	char names[OWN_NAMES_BYTES];
};

/* Differs between versions whose segments are laid out differently: those do not join. */
#define OWN_REGION_VERSION                                                                         \
	((uint32_t)(1 + 3 * offsetof(struct own_segment, command) +                                \
		    5 * offsetof(struct own_segment, shared) + 7 * sizeof(struct own_counters) +   \
		    11 * sizeof(struct own_lock_record) +                                          \
		    13 * offsetof(struct own_segment, names) + 17 * sizeof(struct own_segment)))

#define OWN_REGION_SEGMENTS	256u
#define OWN_REGION_SEGMENTS_MAX 4096u

struct own_region {
	uint64_t magic;
	uint32_t version;
	uint32_t segment_count;
	uint64_t segment_offset; /* of segment 0, from the start of the region; page aligned */
	uint64_t segment_stride; /* page aligned */
	uint64_t pid_namespace;	 /* inode of the launcher's, 0: unknown */
	int32_t launcher_pid;
	_Atomic uint32_t segments_used; /* segments at and above this index were never taken */
	_Atomic uint32_t segments_refused;
	_Atomic uint32_t segments_returned; /* processes that ended with nothing counted */
	_Atomic uint64_t taken[OWN_REGION_SEGMENTS_MAX / 64]; /* a bit for each segment */
};
/* The last word of the header's page, in every layout: the version of a library that could not join
 * since its layout is another; else 0. */
#define OWN_REGION_STRANGER_OFFSET 4092
_Static_assert(sizeof(struct own_region) <= OWN_REGION_STRANGER_OFFSET,
	       "the header and the word behind it fit into a page");

static inline _Atomic uint32_t *own_region_stranger(struct own_region *region)
{
	return (_Atomic uint32_t *)(void *)((char *)region + OWN_REGION_STRANGER_OFFSET);
}

/* Segments start and end on pages, whatever the page size of the kernel. */
#if defined(__x86_64__) || defined(__i386__)
#define OWN_PAGE_MAX 4096
#else
#define OWN_PAGE_MAX 65536
#endif
#define OWN_SEGMENT_STRIDE                                                                         \
	((sizeof(struct own_segment) + OWN_PAGE_MAX - 1) / OWN_PAGE_MAX * OWN_PAGE_MAX)
#define OWN_SEGMENT_OFFSET(index)  (OWN_PAGE_MAX + (uint64_t)(index)*OWN_SEGMENT_STRIDE)
#define OWN_REGION_BYTES(segments) OWN_SEGMENT_OFFSET(segments)

/*
 * Names the region to a process under a launcher: "fd:device:inode:launcher-pid", decimal. The
 * runtime takes the descriptor if it still is that file, else opens /proc/<launcher-pid>/fd/<fd>.
 */
#define OWN_REGION_ENVIRONMENT "OWNLINE_REGION"

#endif
