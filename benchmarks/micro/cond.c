/* Single operations on condition variables, and how long a wake takes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "micro/micro.h"

struct pair {
	const struct own_peer *peer;
	void *mutex;
	void *cond;
	/* For wake_latency, guarded by the mutex. */
	bool waiting;
	bool called;
	bool over;
	struct timespec woken;
	pthread_t sleeper;
};

#define MAX_PEERS 8
static struct pair contexts[MAX_PEERS];
static size_t context_count;

static void setup(const struct own_bench_shape *shape, void *context)
{
	struct pair *pair = context;
	const struct own_peer *peer = pair->peer;

	(void)shape;
	pair->mutex = own_micro_allocate(1, peer->mutex_size, peer->mutex_align);
	pair->cond = own_micro_allocate(1, peer->cond_size, peer->cond_align);
	peer->mutex_init(pair->mutex);
	peer->cond_init(pair->cond);
	pair->waiting = pair->called = pair->over = false;
}

static void teardown(const struct own_bench_shape *shape, void *context)
{
	struct pair *pair = context;

	(void)shape;
	pair->peer->cond_destroy(pair->cond);
	pair->peer->mutex_destroy(pair->mutex);
	free(pair->cond);
	free(pair->mutex);
}

static void signal_nobody(struct own_bench_state *state, void *context)
{
	struct pair *pair = context;

	while (own_bench_keep_running(state, 1000)) {
		for (int i = 0; i < 1000; i++)
			pair->peer->signal(pair->cond);
	}
}

static void broadcast_nobody(struct own_bench_state *state, void *context)
{
	struct pair *pair = context;

	while (own_bench_keep_running(state, 1000)) {
		for (int i = 0; i < 1000; i++)
			pair->peer->broadcast(pair->cond);
	}
}

static void wait_expired(struct own_bench_state *state, void *context)
{
	static const struct timespec past = {.tv_sec = 1};
	struct pair *pair = context;

	pair->peer->lock(pair->mutex);
	while (own_bench_keep_running(state, 1))
		pair->peer->timedwait(pair->cond, pair->mutex, &past);
	pair->peer->unlock(pair->mutex);
}

static void *sleeper_main(void *argument)
{
	struct pair *pair = argument;
	const struct own_peer *peer = pair->peer;

	peer->lock(pair->mutex);
	while (!pair->over) {
		pair->waiting = true;
		while (!pair->called && !pair->over)
			peer->wait(pair->cond, pair->mutex);
		clock_gettime(CLOCK_MONOTONIC, &pair->woken);
		pair->called = false;
		pair->waiting = false;
	}
	peer->unlock(pair->mutex);
	return NULL;
}

static void sleep_us(long microseconds)
{
	struct timespec time = {.tv_nsec = microseconds * 1000};

	nanosleep(&time, NULL);
}

/* Signals a thread that has waited for a while, and takes the time until it runs. */
static double wake_once(struct pair *pair)
{
	const struct own_peer *peer = pair->peer;
	struct timespec called, woken;

	for (bool ready = false; !ready;) {
		sleep_us(200);
		peer->lock(pair->mutex);
		ready = pair->waiting;
		peer->unlock(pair->mutex);
	}
	peer->lock(pair->mutex);
	pair->called = true;
	peer->unlock(pair->mutex);
	clock_gettime(CLOCK_MONOTONIC, &called);
	peer->signal(pair->cond);
	for (bool done = false; !done;) {
		sleep_us(50);
		peer->lock(pair->mutex);
		done = !pair->called;
		woken = pair->woken;
		peer->unlock(pair->mutex);
	}
	return (double)(woken.tv_sec - called.tv_sec) +
	       (double)(woken.tv_nsec - called.tv_nsec) / 1e9;
}

static void wake_latency(struct own_bench_state *state, void *context)
{
	struct pair *pair = context;

	if (pthread_create(&pair->sleeper, NULL, sleeper_main, pair)) {
		own_bench_skip(state, "no thread to wake");
		return;
	}
	while (own_bench_keep_running(state, 1))
		own_bench_set_time(state, wake_once(pair));
	pair->peer->lock(pair->mutex);
	pair->over = true;
	pair->peer->broadcast(pair->cond);
	pair->peer->unlock(pair->mutex);
	pthread_join(pair->sleeper, NULL);
}

void own_micro_register_cond(const struct own_peer *peer)
{
	struct pair *pair = &contexts[context_count++];
	struct own_bench bench = {.setup = setup, .teardown = teardown, .context = pair};

	pair->peer = peer;
	bench.run = signal_nobody;
	own_micro_register("signal_nobody", peer, bench);
	bench.run = broadcast_nobody;
	own_micro_register("broadcast_nobody", peer, bench);
	bench.run = wait_expired;
	own_micro_register("wait_expired", peer, bench);
	bench.run = wake_latency;
	bench.manual_time = true;
	own_micro_register("wake_latency", peer, bench);
}
