/* glibc marks a destroyed mutex, so that its use is EINVAL; init makes it whole again. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 10000);
	pthread_mutex_t mutex;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_destroy(&mutex));
		CHECK_ERR(pthread_mutex_lock(&mutex), EINVAL);
		CHECK_ERR(pthread_mutex_trylock(&mutex), EINVAL);
		CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), EINVAL);
		CHECK_ERR(pthread_mutex_unlock(&mutex), EINVAL);
		check_kind_init(&check_kinds[0], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
