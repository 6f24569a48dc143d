/*
 * Google Benchmark for C.
 *
 *     static void lock_unlock(struct own_bench_state *state, void *context)
 *     {
 *             while (own_bench_keep_running(state, 1)) {
 *                     ...
 *             }
 *     }
 *
 *     static const int64_t sizes[][OWN_BENCH_ARGUMENTS] = {{1}, {64}, {4096}};
 *
 *     int main(int argc, char **argv)
 *     {
 *             own_bench_register(&(struct own_bench){
 *                     .name = "lock_unlock", .run = lock_unlock,
 *                     .arguments = sizes, .argument_sets = 3, .argument_count = 1});
 *             return own_bench_main(argc, argv);
 *     }
 *
 * All options of Google Benchmark (--benchmark_filter and so on) work. A benchmark with several
 * threads is called once in each; setup and teardown are called once per run, in one thread.
 */
#ifndef OWN_SHIM_BENCH_H
#define OWN_SHIM_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OWN_BENCH_ARGUMENTS 4

struct own_bench_state;

/* What setup and teardown are told. */
struct own_bench_shape {
	int threads;
	int64_t arguments[OWN_BENCH_ARGUMENTS];
};

struct own_bench {
	const char *name;
	void (*run)(struct own_bench_state *state, void *context);
	void (*setup)(const struct own_bench_shape *shape, void *context);
	void (*teardown)(const struct own_bench_shape *shape, void *context);
	void *context;
	const int64_t (*arguments)[OWN_BENCH_ARGUMENTS]; /* sets of arguments; each is a run */
	size_t argument_sets;
	size_t argument_count;		   /* in each set */
	const char *const *argument_names; /* argument_count of them, or NULL */
	const int *threads;		   /* thread counts; each is a run */
	size_t thread_counts;
	bool manual_time; /* iterations report their own time */
	bool real_time;	  /* rates by the clock on the wall, not by CPU time */
};

/* Copies what it needs, but not the context. Before own_bench_main. */
void own_bench_register(const struct own_bench *bench);

/* Runs what is registered and chosen on the command line. Returns an exit status. */
int own_bench_main(int argc, char **argv);

/*
 * True as long as another batch of so many iterations is wanted. The first call starts the clock,
 * the last one stops it, both after all threads have met.
 */
bool own_bench_keep_running(struct own_bench_state *state, int64_t batch);

int64_t own_bench_argument(const struct own_bench_state *state, size_t index);
int own_bench_thread_index(const struct own_bench_state *state);
int own_bench_thread_count(const struct own_bench_state *state);
int64_t own_bench_iterations(const struct own_bench_state *state);

/* The clock stands still between the two. Costs about a microsecond. */
void own_bench_pause(struct own_bench_state *state);
void own_bench_resume(struct own_bench_state *state);

/* With manual_time: what this iteration took, in seconds. */
void own_bench_set_time(struct own_bench_state *state, double seconds);

enum own_bench_counter {
	OWN_BENCH_PLAIN = 0,	     /* summed over threads */
	OWN_BENCH_PER_SECOND = 1,    /* divided by the time */
	OWN_BENCH_PER_ITERATION = 2, /* divided by the iterations */
	OWN_BENCH_THREAD_MEAN = 4    /* the mean of the threads, not their sum */
};

/* After the loop. flags: enum own_bench_counter, or-ed. */
void own_bench_set_counter(struct own_bench_state *state, const char *name, double value,
			   unsigned flags);

/* Gives items_per_second. */
void own_bench_set_items(struct own_bench_state *state, int64_t items);

/* Before the loop: this run is reported as failed, with the reason, and is over. */
void own_bench_skip(struct own_bench_state *state, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
