/* The largest time there is means: wait until the signal. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_ready(void *argument)
{
	struct timespec never = {INT64_MAX, 999999999};

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		if (argument)
			CHECK_OK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &never));
		else
			CHECK_OK(pthread_cond_timedwait(&cond, &mutex, &never));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[2];

	check_begin();
	check_start(&threads[0], wait_for_ready, NULL);
	check_start(&threads[1], wait_for_ready, &mutex);
	check_await_asleep(&threads[0]);
	check_await_asleep(&threads[1]);
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&threads[0]);
	check_join(&threads[1]);
	return 0;
}
