/* pthread_mutex_consistent refuses mutexes that are not robust, and robust ones that nobody left.
 */
#include "support/kinds.h"

int main(void)
{
	pthread_mutex_t mutex;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_ERR(pthread_mutex_consistent(&mutex), EINVAL);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_ERR(pthread_mutex_consistent(&mutex), EINVAL);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
