/* Single operations on mutexes. */
#include <stdlib.h>

#include "micro/micro.h"

/* A run at a time uses them; set up before its threads meet. */
struct mutexes {
	const struct own_peer *peer;
	char *objects;
	size_t count;
};

#define MAX_PEERS 8
static struct mutexes contexts[MAX_PEERS];
static size_t context_count;

static void setup(const struct own_bench_shape *shape, void *context)
{
	struct mutexes *mutexes = context;

	mutexes->count = shape->arguments[0] > 0 ? (size_t)shape->arguments[0] : 1;
	mutexes->objects = own_micro_allocate(mutexes->count, mutexes->peer->mutex_size,
					      mutexes->peer->mutex_align);
	for (size_t i = 0; i < mutexes->count; i++)
		mutexes->peer->mutex_init(mutexes->objects + i * mutexes->peer->mutex_size);
}

static void teardown(const struct own_bench_shape *shape, void *context)
{
	struct mutexes *mutexes = context;

	(void)shape;
	for (size_t i = 0; i < mutexes->count; i++)
		mutexes->peer->mutex_destroy(mutexes->objects + i * mutexes->peer->mutex_size);
	free(mutexes->objects);
}

/* Threads read the context only within the loop: before it, thread 0 is still setting up. */
static void lock_unlock(struct own_bench_state *state, void *context)
{
	struct mutexes *mutexes = context;
	const struct own_peer *peer = mutexes->peer;

	while (own_bench_keep_running(state, 1000)) {
		void *mutex = mutexes->objects;

		for (int i = 0; i < 1000; i++) {
			peer->lock(mutex);
			peer->unlock(mutex);
		}
	}
	own_bench_set_items(state, own_bench_iterations(state));
}

/* A table that grows out of one cache after the other; the stride leaves no page in order. */
static void lock_table(struct own_bench_state *state, void *context)
{
	struct mutexes *mutexes = context;
	const struct own_peer *peer = mutexes->peer;
	size_t at = 0;

	while (own_bench_keep_running(state, 1000)) {
		for (int i = 0; i < 1000; i++) {
			void *mutex = mutexes->objects + at * peer->mutex_size;

			peer->lock(mutex);
			peer->unlock(mutex);
			at = (at + 7919) % mutexes->count;
		}
	}
	own_bench_set_items(state, own_bench_iterations(state));
}

static void trylock_fails(struct own_bench_state *state, void *context)
{
	struct mutexes *mutexes = context;
	const struct own_peer *peer = mutexes->peer;
	int64_t taken = 0;

	peer->lock(mutexes->objects);
	while (own_bench_keep_running(state, 1000)) {
		for (int i = 0; i < 1000; i++)
			taken += peer->trylock(mutexes->objects);
	}
	peer->unlock(mutexes->objects);
	if (taken)
		own_bench_set_counter(state, "wrongly_taken", (double)taken, OWN_BENCH_PLAIN);
}

static void init_destroy(struct own_bench_state *state, void *context)
{
	struct mutexes *mutexes = context;
	const struct own_peer *peer = mutexes->peer;
	void *mutex = own_micro_allocate(1, peer->mutex_size, peer->mutex_align);

	while (own_bench_keep_running(state, 100)) {
		for (int i = 0; i < 100; i++) {
			peer->mutex_init(mutex);
			peer->lock(mutex);
			peer->unlock(mutex);
			peer->mutex_destroy(mutex);
		}
	}
	free(mutex);
}

static const int thread_counts[] = {1, 2, 8};
static const int64_t table_sizes[][OWN_BENCH_ARGUMENTS] = {{16}, {1024}, {65536}, {1048576}};
static const char *const size_names[] = {"mutexes"};

void own_micro_register_mutex(const struct own_peer *peer)
{
	struct mutexes *mutexes = &contexts[context_count++];
	const struct own_bench common = {.setup = setup, .teardown = teardown, .context = mutexes};
	struct own_bench bench = common;

	mutexes->peer = peer;
	bench.run = lock_unlock;
	bench.threads = thread_counts;
	bench.thread_counts = sizeof(thread_counts) / sizeof(thread_counts[0]);
	bench.real_time = true;
	own_micro_register("lock_unlock", peer, bench);

	bench = common;
	bench.run = lock_table;
	bench.arguments = table_sizes;
	bench.argument_sets = sizeof(table_sizes) / sizeof(table_sizes[0]);
	bench.argument_count = 1;
	bench.argument_names = size_names;
	own_micro_register("lock_table", peer, bench);

	bench = common;
	bench.run = trylock_fails;
	own_micro_register("trylock_fails", peer, bench);
	bench.run = init_destroy;
	own_micro_register("init_lock_destroy", peer, bench);
}
