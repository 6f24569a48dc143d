/* POSIX recommends EBUSY for a mutex that a condition wait will lock again; glibc does it. */
#include "support/kinds.h"
#include "support/ready.h"

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		if (check_kinds[k].robust)
			continue;
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		ready = 0;
		check_start(&thread, wait_for_ready, NULL);
		check_await_asleep(&thread);
		CHECK_ERR(pthread_mutex_destroy(&mutex), EBUSY);
		CHECK_OK(pthread_mutex_lock(&mutex));
		ready = 1;
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_join(&thread);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
