/* Two clocks are allowed; any other is EINVAL even when the mutex is free, and does not take it. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	static const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID,
					   CLOCK_THREAD_CPUTIME_ID,
					   CLOCK_BOOTTIME,
					   CLOCK_MONOTONIC_RAW,
					   -1,
					   4711};
	struct timespec later = {INT64_MAX, 0};
	pthread_mutex_t mutex;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
			CHECK_ERR(pthread_mutex_clocklock(&mutex, clocks[i], &later), EINVAL);
		CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &later));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
