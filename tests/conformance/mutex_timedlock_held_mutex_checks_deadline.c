/*
 * With the mutex held: nanoseconds out of range are EINVAL, times long past (also negative ones)
 * are ETIMEDOUT, as glibc has it.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static const struct {
	struct timespec deadline;
	int error;
} cases[] = {
    {{0, 0}, ETIMEDOUT},	 {{-1, 0}, ETIMEDOUT}, {{INT64_MIN, 0}, ETIMEDOUT},
    {{0, 999999999}, ETIMEDOUT}, {{1, -1}, EINVAL},    {{1, 1000000000}, EINVAL},
    {{INT64_MAX, -1}, EINVAL},
};

static void *try_cases(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		printf("deadline %lld s %ld ns\n", (long long)cases[i].deadline.tv_sec,
		       cases[i].deadline.tv_nsec);
		fflush(stdout);
		CHECK_ERR(pthread_mutex_timedlock(&mutex, &cases[i].deadline), cases[i].error);
		CHECK_ERR(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &cases[i].deadline),
			  cases[i].error);
		CHECK_ERR(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &cases[i].deadline),
			  cases[i].error);
	}
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&thread, try_cases, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
