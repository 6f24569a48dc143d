/*
 * A thread pool with futures: clients hand jobs in, workers do them, and each job has a future
 * with a mutex and a condition of its own that its client waits on.
 */
#include <stdlib.h>

#include "workloads/catalogue.h"

#define JOBS_PER_CLIENT 8
#define JOB_ITERATIONS	400

struct future {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	struct own_peer_cond cond;
	bool done;
	struct future *next;
};

struct pool {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	alignas(OWN_APART) struct own_peer_cond jobs;
	alignas(OWN_APART) struct future *first;
	struct future **last;
	struct future *futures;
	size_t future_count;
};

static void setup_pool(struct own_run *run)
{
	struct pool *pool = own_allocate(1, sizeof(*pool));

	if (run->arguments[0] < 1 || run->arguments[1] < 1)
		own_fail("pool: at least one worker and one client");
	run->thread_count = (unsigned)(run->arguments[0] + run->arguments[1]);
	own_peer_mutex_init(&pool->mutex);
	own_peer_cond_init(&pool->jobs);
	pool->last = &pool->first;
	pool->future_count = (size_t)run->arguments[1] * JOBS_PER_CLIENT;
	pool->futures = own_allocate(pool->future_count, sizeof(*pool->futures));
	for (size_t i = 0; i < pool->future_count; i++) {
		own_peer_mutex_init(&pool->futures[i].mutex);
		own_peer_cond_init(&pool->futures[i].cond);
	}
	run->state = pool;
}

static void submit(struct pool *pool, struct future *future)
{
	future->done = false;
	future->next = NULL;
	own_peer_lock(&pool->mutex);
	*pool->last = future;
	pool->last = &future->next;
	own_peer_signal(&pool->jobs);
	own_peer_unlock(&pool->mutex);
}

static bool await(struct own_run *run, struct future *future)
{
	bool done;

	own_peer_lock(&future->mutex);
	while (!future->done && !own_stopping(run))
		own_peer_wait(&future->cond, &future->mutex);
	done = future->done;
	own_peer_unlock(&future->mutex);
	return done;
}

static void client(struct own_run *run, struct own_thread *self, struct future *futures)
{
	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		for (unsigned i = 0; i < JOBS_PER_CLIENT; i++)
			submit(run->state, &futures[i]);
		for (unsigned i = 0; i < JOBS_PER_CLIENT; i++) {
			/* At the end a job may stay behind in the queue: it is never reused. */
			if (!await(run, &futures[i]))
				return;
			own_count(self, 1);
		}
		own_sample_end(self, started);
	}
}

static struct future *take(struct own_run *run, struct pool *pool)
{
	struct future *future;

	own_peer_lock(&pool->mutex);
	while (!pool->first && !own_stopping(run))
		own_peer_wait(&pool->jobs, &pool->mutex);
	future = pool->first;
	if (future) {
		pool->first = future->next;
		if (!pool->first)
			pool->last = &pool->first;
	}
	own_peer_unlock(&pool->mutex);
	return future;
}

static void worker(struct own_run *run, struct own_thread *self)
{
	while (!own_stopping(run)) {
		struct future *future = take(run, run->state);

		if (!future)
			return;
		own_work(JOB_ITERATIONS);
		own_peer_lock(&future->mutex);
		future->done = true;
		own_peer_signal(&future->cond);
		own_peer_unlock(&future->mutex);
		own_count(self, 1);
	}
}

static void thread_pool(struct own_run *run, struct own_thread *self)
{
	struct pool *pool = run->state;
	const unsigned workers = (unsigned)run->arguments[0];

	if (self->index < workers)
		worker(run, self);
	else
		client(run, self, &pool->futures[(self->index - workers) * JOBS_PER_CLIENT]);
}

static void wake_pool(struct own_run *run)
{
	struct pool *pool = run->state;

	own_peer_lock(&pool->mutex);
	own_peer_broadcast(&pool->jobs);
	own_peer_unlock(&pool->mutex);
	for (size_t i = 0; i < pool->future_count; i++) {
		own_peer_lock(&pool->futures[i].mutex);
		own_peer_broadcast(&pool->futures[i].cond);
		own_peer_unlock(&pool->futures[i].mutex);
	}
}

static void teardown_pool(struct own_run *run)
{
	struct pool *pool = run->state;

	own_peer_cond_destroy(&pool->jobs);
	own_peer_mutex_destroy(&pool->mutex);
	free(pool->futures);
	free(pool);
}

const struct own_workload own_workload_pool = {
    .name = "pool",
    .usage = "WORKERS CLIENTS",
    .help = "a thread pool; each client keeps 8 futures under way; counts jobs done and awaited",
    .required = 2,
    .arguments = 2,
    .setup = setup_pool,
    .thread = thread_pool,
    .wake = wake_pool,
    .teardown = teardown_pool,
};
