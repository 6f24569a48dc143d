/*
 * The count of a recursive mutex never wraps: at its maximum every further lock is EAGAIN. Counting
 * there takes minutes, so the count is set, where every implementation keeps it (the ABI test).
 */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 10000);
	struct timespec monotonic = check_after_ms(CLOCK_MONOTONIC, 10000);
	pthread_mutex_t mutex;

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_RECURSIVE);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_EQ(mutex.__data.__count, 2);
	mutex.__data.__count = UINT32_MAX - 1;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_mutex_lock(&mutex), EAGAIN);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EAGAIN);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), EAGAIN);
	CHECK_ERR(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic), EAGAIN);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_lock(&mutex));
	mutex.__data.__count = 1;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
