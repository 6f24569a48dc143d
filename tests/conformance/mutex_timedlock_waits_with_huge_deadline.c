/* The largest time there is means: wait, until the mutex is free. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *lock_with_timedlock(void *unused)
{
	struct timespec never = {INT64_MAX, 999999999};

	(void)unused;
	CHECK_OK(pthread_mutex_timedlock(&mutex, &never));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *lock_with_clocklock(void *unused)
{
	struct timespec never = {INT64_MAX, 0};

	(void)unused;
	CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &never));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[2];

	check_begin();
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&threads[0], lock_with_timedlock, NULL);
		check_start(&threads[1], lock_with_clocklock, NULL);
		check_await_asleep(&threads[0]);
		check_await_asleep(&threads[1]);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_join(&threads[0]);
		check_join(&threads[1]);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
