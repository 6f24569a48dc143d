/*
 * A pool of connections, too few for all threads: a thread waits for one until its patience ends,
 * and does without then. Deadlines are of the monotonic clock, so that setting the clock disturbs
 * nobody.
 */
#include <pthread.h>

#include "example.h"

#define USAGE                                                                                      \
	"[REQUESTS-PER-THREAD [THREADS [PATIENCE-IN-MICROSECONDS]]]   2000 requests, 8 threads, "  \
	"300"
#define CONNECTIONS 3

struct pool {
	pthread_mutex_t mutex;
	pthread_cond_t returned;
	int free[CONNECTIONS]; /* a stack of connection numbers */
	int count;
};

static struct pool pool;
static long requests, patience_us, served, refused;
static long users[CONNECTIONS];

/* The number of a connection, or -1 when there was none in time. */
static int borrow(struct pool *it, const struct timespec *deadline)
{
	int connection = -1;
	int error = 0;

	pthread_mutex_lock(&it->mutex);
	while (it->count == 0 && error == 0)
		error = pthread_cond_timedwait(&it->returned, &it->mutex, deadline);
	if (it->count > 0)
		connection = it->free[--it->count];
	pthread_mutex_unlock(&it->mutex);
	return connection;
}

static void give_back(struct pool *it, int connection)
{
	pthread_mutex_lock(&it->mutex);
	it->free[it->count++] = connection;
	pthread_cond_signal(&it->returned);
	pthread_mutex_unlock(&it->mutex);
}

/* As long as an answer from another machine may take. */
static void talk(int connection)
{
	const struct timespec answer = {0, 50000};

	if (__atomic_add_fetch(&users[connection], 1, __ATOMIC_SEQ_CST) != 1) {
		fprintf(stderr, "connection_pool: two threads have the same connection\n");
		exit(1);
	}
	nanosleep(&answer, NULL);
	__atomic_sub_fetch(&users[connection], 1, __ATOMIC_SEQ_CST);
}

static void *client(void *unused)
{
	for (long i = 0; i < requests; i++) {
		struct timespec deadline;
		int connection;

		clock_gettime(CLOCK_MONOTONIC, &deadline);
		deadline.tv_nsec += patience_us * 1000;
		deadline.tv_sec += deadline.tv_nsec / 1000000000;
		deadline.tv_nsec %= 1000000000;
		connection = borrow(&pool, &deadline);
		if (connection < 0) {
			__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
			continue;
		}
		talk(connection);
		give_back(&pool, connection);
		__atomic_add_fetch(&served, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_condattr_t attributes;
	pthread_t threads[256];
	long count;

	example_usage(argc, argv, 3, USAGE);
	requests = example_number(argc, argv, 1, "the number of requests", 2000, 1, 10000000);
	count = example_number(argc, argv, 2, "the number of threads", 8, 1, 256);
	patience_us = example_number(argc, argv, 3, "the patience", 300, 0, 900000);
	example_must(pthread_mutex_init(&pool.mutex, NULL), "the mutex");
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	example_must(pthread_cond_init(&pool.returned, &attributes), "the condition variable");
	for (int i = 0; i < CONNECTIONS; i++)
		pool.free[pool.count++] = i;
	for (long i = 0; i < count; i++)
		example_must(pthread_create(&threads[i], NULL, client, NULL), "a thread");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%ld served, %ld gave up\n", served, refused);
	return served + refused == count * requests && pool.count == CONNECTIONS ? 0 : 1;
}
