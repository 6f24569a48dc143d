/* One broadcast ends the waits of a thousand threads, again and again. */
#include "support/kinds.h"
#include "support/threads.h"

#include <limits.h>

#define WAITERS 1000
#define ROUNDS	5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, all_wait = PTHREAD_COND_INITIALIZER;
static int round_now, waiting;

static void *wait_for_rounds(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int round = 1; round <= ROUNDS; round++) {
		if (++waiting == WAITERS)
			CHECK_OK(pthread_cond_signal(&all_wait));
		while (round_now < round)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	static pthread_t threads[WAITERS];
	pthread_attr_t attributes;

	check_begin();
	CHECK_OK(pthread_attr_init(&attributes));
	CHECK_OK(pthread_attr_setstacksize(&attributes, 16 * PTHREAD_STACK_MIN));
	for (int i = 0; i < WAITERS; i++) {
		int error = pthread_create(&threads[i], &attributes, wait_for_rounds, NULL);

		if (error == EAGAIN)
			check_skip("no more than %d threads allowed here", i);
		CHECK_OK(error);
	}
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int round = 1; round <= ROUNDS; round++) {
		while (waiting < WAITERS)
			CHECK_OK(pthread_cond_wait(&all_wait, &mutex));
		waiting = 0;
		round_now = round;
		CHECK_OK(pthread_cond_broadcast(&cond));
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < WAITERS; i++)
		CHECK_OK(pthread_join(threads[i], NULL));
	return 0;
}
