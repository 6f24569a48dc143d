/*
 * Nanoseconds out of range are EINVAL before anything happens (the mutex is never released, nobody
 * is queued); past and negative times are ETIMEDOUT.
 */
#include "support/kinds.h"
#include "support/threads.h"

static const struct {
	struct timespec deadline;
	int error;
} cases[] = {
    {{0, 0}, ETIMEDOUT}, {{-1, 0}, ETIMEDOUT},	    {{INT64_MIN, 999999999}, ETIMEDOUT},
    {{0, -1}, EINVAL},	 {{INT64_MAX, -1}, EINVAL}, {{INT64_MAX, 1000000000}, EINVAL},
    {{-1, -1}, EINVAL},
};

int main(void)
{
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mutex;

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_ERRORCHECK);
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct timespec *deadline = &cases[i].deadline;

		printf("deadline %lld s %ld ns\n", (long long)deadline->tv_sec, deadline->tv_nsec);
		fflush(stdout);
		CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, deadline), cases[i].error);
		CHECK_ERR(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, deadline),
			  cases[i].error);
		CHECK_ERR(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, deadline),
			  cases[i].error);
		CHECK_ERR(pthread_mutex_lock(&mutex), EDEADLK); /* still ours */
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	/* Without the mutex EINVAL wins over EPERM, as the deadline is looked at first. */
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &cases[3].deadline), EINVAL);
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
