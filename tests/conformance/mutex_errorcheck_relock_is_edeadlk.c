/* Each way to lock an error-checking mutex again says EDEADLK at once, and trylock says EBUSY. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	struct timespec past = check_after_ms(CLOCK_REALTIME, -1000);
	struct timespec soon = check_after_ms(CLOCK_MONOTONIC, 10000);
	pthread_mutex_t mutex;

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_ERRORCHECK);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_mutex_lock(&mutex), EDEADLK);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &past), EDEADLK);
	CHECK_ERR(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon), EDEADLK);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
