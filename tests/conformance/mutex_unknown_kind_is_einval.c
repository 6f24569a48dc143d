/* Memory that is no mutex is refused by glibc's kind check; nothing blocks on it. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 10000);
	pthread_mutex_t mutex;

	check_begin();
	memset(&mutex, 0, sizeof(mutex));
	mutex.__data.__kind = 0x7f;
	CHECK_ERR(pthread_mutex_lock(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), EINVAL);
	CHECK_ERR(pthread_mutex_unlock(&mutex), EINVAL);
	memset(&mutex, 0xff, sizeof(mutex));
	CHECK_ERR(pthread_mutex_lock(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), EINVAL);
	CHECK_ERR(pthread_mutex_unlock(&mutex), EINVAL);
	return 0;
}
