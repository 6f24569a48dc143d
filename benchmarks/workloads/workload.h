/*
 * What a workload is, and what the engine gives to it.
 *
 * setup builds run->state from the numeric arguments and sets run->thread_count; thread is the body
 * of each thread and loops until own_stopping(); wake releases threads that are blocked after the
 * end (it is called again and again until all have left); teardown frees. A workload with `alone`
 * set runs in the main thread, and no other thread is ever created unless setup does it. With
 * several processes each has its own state and its own share of the threads.
 */
#ifndef OWN_WORKLOADS_WORKLOAD_H
#define OWN_WORKLOADS_WORKLOAD_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "peers/peer.h"
#include OWN_PEER_HEADER

#define OWN_MAX_ARGUMENTS 6
/* Two lines: x86-64 fetches them in pairs. */
#define OWN_APART 128

struct own_run;
struct own_thread;
struct own_latency;

struct own_workload {
	const char *name;
	const char *usage;
	const char *help;
	int required;
	int arguments;
	long defaults[OWN_MAX_ARGUMENTS];
	bool alone;
	bool kernel;	/* no lock library is involved: at most futex calls of its own */
	double seconds; /* 0: the general default */
	unsigned (*processes)(const struct own_run *run); /* NULL: one */
	void (*setup)(struct own_run *run);
	void (*thread)(struct own_run *run, struct own_thread *self);
	void (*wake)(struct own_run *run);
	void (*teardown)(struct own_run *run);
};

struct own_thread {
	alignas(OWN_APART) _Atomic uint64_t operations;
	uint64_t until_sample;
	uint64_t random;
	unsigned index;
	struct own_latency *latency;
	struct own_run *run;
	pthread_t handle;
};

struct own_options {
	bool pin;
	bool json;
	bool futex_counts;
	unsigned sample; /* time every n-th acquisition; 0: none */
	double seconds;
};

/* Shared by all processes of a run. */
struct own_gate {
	alignas(OWN_APART) atomic_uint ready;
	atomic_uint finished;
	alignas(OWN_APART) atomic_uint go; /* a futex word */
	atomic_bool stop;
};

struct own_run {
	const struct own_workload *workload;
	struct own_options options;
	long arguments[OWN_MAX_ARGUMENTS];
	void *state;
	unsigned thread_count; /* of this process */
	unsigned first;	       /* index of its first thread among those of all processes */
	struct own_thread *threads;
	struct own_gate *gate;
	double one_way_ns; /* of a cacheline between two CPUs; 0: not what this workload measures */
	bool skipped;	   /* the peer cannot do this */
};

/* Every workload, ended by NULL. */
extern const struct own_workload *const own_workloads[];

static inline bool own_stopping(const struct own_run *run)
{
	return atomic_load_explicit(&run->gate->stop, memory_order_relaxed);
}

static inline void own_count(struct own_thread *self, uint64_t operations)
{
	uint64_t count = atomic_load_explicit(&self->operations, memory_order_relaxed);

	atomic_store_explicit(&self->operations, count + operations, memory_order_relaxed);
}

/* Busy for about half a nanosecond an iteration, on a machine of 2024. */
void own_work(long iterations);

/* xorshift64; never 0. */
static inline uint64_t own_random(struct own_thread *self)
{
	uint64_t x = self->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	self->random = x;
	return x;
}

static inline uint64_t own_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void own_sample_record(struct own_thread *self, uint64_t started_ns);

/* 0: this acquisition is not timed. */
static inline uint64_t own_sample_begin(struct own_thread *self)
{
	if (--self->until_sample)
		return 0;
	return own_now_ns();
}

static inline void own_sample_end(struct own_thread *self, uint64_t started_ns)
{
	if (started_ns)
		own_sample_record(self, started_ns);
}

/* Zeroed memory apart from any other line; ends the program if there is none. */
void *own_allocate(size_t count, size_t size);

/* The same, shared with processes that are forked later; never freed. */
void *own_allocate_shared(size_t count, size_t size);

/* One line on stderr, then exit status 2. */
_Noreturn void own_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
