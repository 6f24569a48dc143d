/* A free mutex is taken whatever the deadline says: past, negative, or no time at all. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	static const struct timespec deadlines[] = {
	    {0, 0}, {-1, 0}, {INT64_MIN, 0}, {INT64_MAX, 999999999}, {1, -1}, {1, 1000000000},
	};
	pthread_mutex_t mutex;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++) {
			CHECK_OK(pthread_mutex_timedlock(&mutex, &deadlines[i]));
			CHECK_OK(pthread_mutex_unlock(&mutex));
			CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadlines[i]));
			CHECK_OK(pthread_mutex_unlock(&mutex));
		}
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
