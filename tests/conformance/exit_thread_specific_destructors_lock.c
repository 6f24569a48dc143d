/*
 * Destructors of thread-specific data lock contended mutexes and wait for conditions, in every one
 * of their rounds: also after all that the lock runtime itself may have cleaned up for the thread.
 */
#include "support/kinds.h"
#include "support/threads.h"

#include <limits.h>

#define THREADS 8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int destructions;

static void destroy(void *round)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 1);
	int error = 0;

	CHECK_OK(pthread_mutex_lock(&mutex));
	destructions++;
	check_sleep_ms(1); /* the others have to block */
	while (!error)
		error = pthread_cond_timedwait(&cond, &mutex, &soon);
	CHECK_ERR(error, ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	if ((intptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
		CHECK_OK(pthread_setspecific(key, (void *)((intptr_t)round + 1)));
}

static void *set_and_leave(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_setspecific(key, (void *)1));
	return NULL;
}

int main(void)
{
	struct check_thread threads[THREADS];

	check_begin();
	CHECK_OK(pthread_key_create(&key, destroy));
	for (int round = 1; round <= 5; round++) {
		for (int i = 0; i < THREADS; i++)
			check_start(&threads[i], set_and_leave, NULL);
		for (int i = 0; i < THREADS; i++)
			check_join(&threads[i]);
		CHECK_EQ(destructions, round * THREADS * PTHREAD_DESTRUCTOR_ITERATIONS);
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
