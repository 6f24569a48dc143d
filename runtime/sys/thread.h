/*
 * What the runtime keeps about the calling thread, and what it asks the kernel about it. Zero is
 * the valid first state: a thread is attached on its first slow path.
 */
#ifndef OWN_SYS_THREAD_H
#define OWN_SYS_THREAD_H

#include "base/atomic.h"
#include "base/compiler.h"

struct own_counters;
struct own_parker;

struct own_thread {
	/* How many mutexes it took at once, from a start of its own. First, since ownline/mutex.h
	 * knows it by its public name, ownline_taken_. */
	uint32_t taken;
	int32_t tid;	/* 0: not asked yet */
	int32_t forked; /* this thread made the process by fork: own_inherited_tid was its */
	const volatile uint32_t *cpu_word; /* own_cpu_word(), once tid is known */
	/* The mutex of the normal or adaptive kind that it took last and has not released; another
	 * thread may have (own_mutex_forget_held). */
	const void *held;
	uint64_t others; /* where it found mutexes of other kinds, as a guess: posix/mutex.c */
	struct own_parker *parker;
	struct own_counters *counters;
	uint64_t schedule_checked; /* ticks of the last look at affinity and policy */
	uint32_t waited;  /* which condition variable it waited for last (turns.h); 0: forgotten */
	uint32_t served;  /* coarse time: when it last waited there after it had found it true */
	uint32_t random;  /* state of a small generator for back-off */
	uint16_t cpus;	  /* CPUs that this thread may run on */
	bool realtime;	  /* SCHED_FIFO, RR or DEADLINE */
	uint8_t priority; /* of a real-time thread, 0 for others */
	bool parallel;	  /* others of the process may run while this one spins */
	bool after_wait;  /* its condition wait is over, and it locks the mutex again */
	bool passed_over; /* it has found its condition false for long */
	bool becomes_child; /* gives the process its generation after a fork */
	uint16_t travel;    /* ticks: how long a cacheline takes from CPU to CPU; 0: not known */
	bool attached;
	bool exiting;	       /* its destructor has run: keep nothing any more */
	const void *polled;    /* the mutex that trylock last found locked: poll.h */
	uint64_t polled_since; /* ticks: when it had been polled as often before */
	uint32_t polled_owner; /* which owner it had, as a hash */
	uint32_t polls;	       /* how often that one was found */
};

extern OWN_TLS struct own_thread own_self;

/*
 * The tid that the forking thread had in the parent, or 0. The parent may end, and the kernel give
 * its number to a new thread here: who learns that it has that number sets this to 0, before it can
 * own anything.
 */
extern _Atomic int32_t own_inherited_tid;

/* Asks the kernel; call through own_thread_id. */
int32_t own_thread_id_slow(void);

static inline int32_t own_thread_id(void)
{
	int32_t tid = own_self.tid;

	return own_likely(tid != 0) ? tid : own_thread_id_slow();
}

/* The C library's handle of the calling thread, as pthread_self gives it. */
uintptr_t own_thread_handle(void);

/* True if this process has no other thread now, or that cannot be told. Looks into /proc. */
bool own_thread_is_alone(void);

/* Reads affinity and scheduling policy of the calling thread into own_self. */
void own_thread_look_at_schedule(void);

/* In a fork child: the forking thread has a new tid. */
void own_thread_after_fork(void);

#endif
