/* Memory of a condition variable that was used and never destroyed is a fresh one after init. */
#include "support/kinds.h"
#include "support/ready.h"

int main(void)
{
	struct check_thread threads[3];

	check_begin();
	for (int round = 0; round < 6; round++) {
		pthread_condattr_t attributes;

		CHECK_OK(pthread_condattr_init(&attributes));
		CHECK_OK(pthread_condattr_setclock(&attributes,
						   round & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME));
		CHECK_OK(pthread_condattr_setpshared(
		    &attributes, round & 2 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE));
		memset(&cond, 0xff, sizeof(cond));
		CHECK_OK(pthread_cond_init(&cond, &attributes));
		ready = 0;
		for (int i = 0; i < 3; i++)
			check_start(&threads[i], wait_for_ready, NULL);
		for (int i = 0; i < 3; i++)
			check_await_asleep(&threads[i]);
		CHECK_OK(pthread_mutex_lock(&mutex));
		ready = 1;
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		for (int i = 0; i < 3; i++)
			check_join(&threads[i]);
	}
	return 0;
}
