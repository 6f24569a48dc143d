/*
 * A barrier from a mutex and a condition variable: the last thread to arrive wakes all the others
 * by a broadcast, and all of them want the mutex at once.
 */
#include <pthread.h>

#include "example.h"

#define USAGE "[ROUNDS [THREADS]]   20000 rounds of 8 threads"

struct barrier {
	pthread_mutex_t mutex;
	pthread_cond_t all_here;
	long threads;
	long here;
	unsigned long round;
};

static struct barrier barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
static long rounds, late;

static void wait_for_all(struct barrier *it)
{
	unsigned long round;

	pthread_mutex_lock(&it->mutex);
	round = it->round;
	if (++it->here == it->threads) {
		it->here = 0;
		it->round++;
		pthread_cond_broadcast(&it->all_here);
	} else {
		while (it->round == round)
			pthread_cond_wait(&it->all_here, &it->mutex);
	}
	pthread_mutex_unlock(&it->mutex);
}

static void *run(void *arrived)
{
	for (long i = 0; i < rounds; i++) {
		wait_for_all(&barrier);
		/* Between two barriers nobody can be a round ahead or behind. */
		if (__atomic_add_fetch((long *)arrived, 1, __ATOMIC_SEQ_CST) >
		    (i + 1) * barrier.threads)
			__atomic_add_fetch(&late, 1, __ATOMIC_SEQ_CST);
		wait_for_all(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[256];
	long arrived = 0;
	double start;

	example_usage(argc, argv, 2, USAGE);
	rounds = example_number(argc, argv, 1, "the number of rounds", 20000, 1, 10000000);
	barrier.threads = example_number(argc, argv, 2, "the number of threads", 8, 1, 256);
	start = example_seconds();
	for (long i = 0; i < barrier.threads; i++)
		example_must(pthread_create(&threads[i], NULL, run, &arrived), "a thread");
	for (long i = 0; i < barrier.threads; i++)
		pthread_join(threads[i], NULL);
	printf("%ld rounds a second\n", (long)((double)rounds / (example_seconds() - start)));
	if (late != 0 || arrived != rounds * barrier.threads) {
		fprintf(stderr, "barrier: a thread ran ahead\n");
		return 1;
	}
	return 0;
}
