/* A recursive mutex is free only after as many unlocks as locks, by whichever call it was locked.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *try_lock(void *unused)
{
	int error = pthread_mutex_trylock(&mutex);

	(void)unused;
	if (!error)
		CHECK_OK(pthread_mutex_unlock(&mutex));
	return (void *)(intptr_t)error;
}

static int error_of_other_thread(void)
{
	struct check_thread thread;

	check_start(&thread, try_lock, NULL);
	return (int)(intptr_t)check_join(&thread);
}

int main(void)
{
	struct timespec past = check_after_ms(CLOCK_REALTIME, -1000);
	struct timespec monotonic = check_after_ms(CLOCK_MONOTONIC, 1000);

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_RECURSIVE);
	for (int round = 0; round < 3; round++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_trylock(&mutex));
		CHECK_OK(pthread_mutex_timedlock(&mutex, &past));
		CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic));
		for (int held = 5; held > 0; held--) {
			CHECK_ERR(error_of_other_thread(), EBUSY);
			CHECK_OK(pthread_mutex_unlock(&mutex));
		}
		CHECK_ERR(error_of_other_thread(), 0);
	}
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
