/*
 * ownline_stats: how the waits of this process ended.
 *
 * The library counts every wait in the kernel by its end. A wait is woken, or its time is up, or
 * a signal handler interrupted it; or it mismatched: the kernel compared the word and found that
 * it had changed, so the call was for nothing (EAGAIN). What never waits is not counted and costs
 * nothing.
 *
 * The counters cover all locks that run on ownline in this process: native ones, and pthread and
 * C11 ones when the library is preloaded or linked. They begin with zero in a process that
 * fork(2) has made. Locks that stay with the C library (process-shared, robust and priority
 * protocols) are not in them.
 *
 * Reading is cheap but not free, it adds up the counters of every thread: once in a second is no
 * matter. All functions may be called at any time by any thread, but not in a signal handler.
 * Counters are read one by one while threads go on counting, so two of them may be a few events
 * apart.
 *
 * Example:
 *	#include <ownline/stats.h>
 *
 *	double mismatch_share(void)
 *	{
 *		struct ownline_stats stats;
 *
 *		ownline_stats_read(&stats);
 *		return stats.waits ? (double)stats.mismatched / (double)stats.waits : 0;
 *	}
 *
 * See also: ownline(7) ownline(1) ownline_mutex(3) ownline_cond(3)
 */
#ifndef OWNLINE_STATS_H
#define OWNLINE_STATS_H

#include <ownline/cond.h>

/* What all threads have counted since the process began, or since the last reset. */
struct ownline_stats {
	uint64_t waits;	      /* FUTEX_WAIT calls that have returned: the sum of the next four */
	uint64_t woken;	      /* the call returned 0 */
	uint64_t mismatched;  /* EAGAIN */
	uint64_t timed_out;   /* ETIMEDOUT */
	uint64_t interrupted; /* EINTR */

	uint64_t wait_ns; /* time in these calls, in nanoseconds: the sum of the next four */
	uint64_t woken_ns;
	uint64_t mismatched_ns;
	uint64_t timed_out_ns;
	uint64_t interrupted_ns;

	uint64_t wakes;	      /* FUTEX_WAKE calls */
	uint64_t wakes_saved; /* wakes that needed no call: the waiter was still looking */
	uint64_t spurious;    /* woken, but by nobody of ours */

	uint64_t contended;	  /* lock calls that did not get the mutex at once */
	uint64_t spin_acquired;	  /* of these: got it by looking again */
	uint64_t queued;	  /* of these: queued for it */
	uint64_t handoffs;	  /* mutexes handed over to a waiter that had waited too long */
	uint64_t cond_waits;	  /* waits on condition variables */
	uint64_t cond_spun;	  /* of these: ended without a wait in the kernel */
	uint64_t requeues;	  /* waiters that a broadcast moved to the mutex */
	uint64_t fallback_sleeps; /* sleeps where no memory for a waiter could be had */
	uint64_t longest_wait_ns; /* longest time from queueing for a mutex until owning it */

	uint64_t records_missed; /* waits that found no room in the table of locks */

	uint64_t bucket_known;	/* waits whose bucket of the kernel's futex hash can be told */
	uint64_t bucket_shared; /* of these: another waiter of this process stood in it */
	uint64_t reserved_[7];
};

/* What all threads have counted for one lock. */
struct ownline_lock_stats {
	uint64_t queued;     /* times that a thread queued for it */
	uint64_t spun;	     /* of these: ended without a wait in the kernel */
	uint64_t queued_ns;  /* time from queueing until the end, of all, in nanoseconds */
	uint64_t longest_ns; /* the longest of these */

	uint64_t waits; /* FUTEX_WAIT calls of its waiters, by their end as above */
	uint64_t woken;
	uint64_t mismatched;
	uint64_t timed_out;
	uint64_t interrupted;
	uint64_t reserved_[7];
};

enum ownline_report_format {
	OWNLINE_REPORT_TEXT = 1, /* for people */
	OWNLINE_REPORT_JSON = 2, /* for programs: one JSON object */
};

OWNLINE_BEGIN_

/*
 * ownline_stats_read: read the counters of this process.
 *
 * Sets every field of the structure.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1) void ownline_stats_read(struct ownline_stats *stats);

/*
 * ownline_mutex_stats: read the counters of one mutex.
 *
 * A mutex for which nobody ever queued has zeros. Counters belong to an address: if another mutex
 * has lived there before, its waits are in the figures. At most 1024 pairs of a lock and a place
 * in the program are kept; the field records_missed of ownline_stats_read says whether that was
 * too few.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) void ownline_mutex_stats(const struct ownline_mutex *mutex,
								struct ownline_lock_stats *stats);

/*
 * ownline_cond_stats: read the counters of one condition variable.
 *
 * As ownline_mutex_stats. Time that a waiter spends to take the mutex again counts for the mutex.
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) void ownline_cond_stats(const struct ownline_cond *cond,
							       struct ownline_lock_stats *stats);

/*
 * ownline_object_stats: read the counters of any lock.
 *
 * The object is the address of a mutex or condition variable of whatever type: pthread_mutex_t,
 * mtx_t, std::mutex, or a native one.
 *
 * Example:
 *	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
 *	struct ownline_lock_stats stats;
 *
 *	ownline_object_stats(&mutex, &stats);
 *	printf("%llu waiters\n", (unsigned long long)stats.queued);
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) void ownline_object_stats(const void *object,
								 struct ownline_lock_stats *stats);

/*
 * ownline_object_set_name: give any lock a name for reports.
 *
 * The object is an address as for ownline_object_stats. Take the name away, by the empty text,
 * before the memory is used for something else.
 *
 * Returns: 0, or an error number.
 * Errors:
 *	ENOSPC	1024 locks and calling sites are known, or 16 kilobytes of names
 */
OWNLINE_EXPORT_ OWNLINE_NONNULL_(1, 2) int ownline_object_set_name(const void *object,
								   const char *name);

/*
 * ownline_stats_reset: set all counters of this process to zero.
 *
 * Names stay. What other threads count while the call runs may or may not survive it. A report at
 * exit, also that of ownline(1), covers the time since the last reset.
 */
OWNLINE_EXPORT_ void ownline_stats_reset(void);

/*
 * ownline_report_write: write a report on this process to a file descriptor.
 *
 * The report is that of ownline(1), and the format OWNLINE_REPORT_TEXT or OWNLINE_REPORT_JSON. It
 * allocates no memory by malloc(3) and uses no stdio stream, so what a stream has buffered for
 * the same file comes later. How many locks the text lists is option top.
 *
 * Returns: 0, or an error number: one of these, or one of write(2).
 * Errors:
 *	EINVAL	no such format
 *	EBADF	fd is not open for writing
 *
 * Example:
 *	ownline_report_write(STDERR_FILENO, OWNLINE_REPORT_TEXT);
 */
OWNLINE_EXPORT_ int ownline_report_write(int fd, enum ownline_report_format format);

OWNLINE_END_

#endif
