/* pthread_condattr_setclock chooses the clock; reuse of the memory does not remember it. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec soon, real;
	pthread_condattr_t attributes;
	pthread_cond_t cond;
	clockid_t clock;

	check_begin();
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
	CHECK_OK(pthread_condattr_getclock(&attributes, &clock));
	CHECK_EQ(clock, CLOCK_MONOTONIC);
	CHECK_OK(pthread_cond_init(&cond, &attributes));
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int i = 0; i < 3; i++) {
		soon = check_after_ms(CLOCK_MONOTONIC, 20);
		CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
		CHECK(check_is_past(CLOCK_MONOTONIC, &soon));
	}
	CHECK_OK(pthread_cond_destroy(&cond));

	CHECK_OK(pthread_cond_init(&cond, NULL));
	real = check_after_ms(CLOCK_REALTIME, 20);
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &real), ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &real));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
