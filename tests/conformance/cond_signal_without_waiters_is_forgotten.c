/* Signals and broadcasts that nobody waits for are not kept for later waiters. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	check_begin();
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int i = 0; i < 3; i++) {
		struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);

		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
