/* Bad attribute values are refused and leave the attribute as it was. */
#include "support/kinds.h"

int main(void)
{
	pthread_mutexattr_t attributes;
	int value;

	check_begin();
	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_ERR(pthread_mutexattr_settype(&attributes, 4), EINVAL);
	CHECK_ERR(pthread_mutexattr_settype(&attributes, -1), EINVAL);
	CHECK_OK(pthread_mutexattr_gettype(&attributes, &value));
	CHECK_EQ(value, PTHREAD_MUTEX_DEFAULT);
	CHECK_ERR(pthread_mutexattr_setpshared(&attributes, 2), EINVAL);
	CHECK_OK(pthread_mutexattr_getpshared(&attributes, &value));
	CHECK_EQ(value, PTHREAD_PROCESS_PRIVATE);
	CHECK_ERR(pthread_mutexattr_setrobust(&attributes, 2), EINVAL);
	CHECK_OK(pthread_mutexattr_getrobust(&attributes, &value));
	CHECK_EQ(value, PTHREAD_MUTEX_STALLED);
	CHECK_ERR(pthread_mutexattr_setprotocol(&attributes, 3), EINVAL);
	CHECK_OK(pthread_mutexattr_getprotocol(&attributes, &value));
	CHECK_EQ(value, PTHREAD_PRIO_NONE);
	CHECK_ERR(pthread_mutexattr_setprioceiling(&attributes, 1000), EINVAL);
	CHECK_ERR(pthread_mutexattr_setprioceiling(&attributes, -1), EINVAL);
	for (int type = 0; type <= 3; type++) {
		CHECK_OK(pthread_mutexattr_settype(&attributes, type));
		CHECK_OK(pthread_mutexattr_gettype(&attributes, &value));
		CHECK_EQ(value, type);
	}
	CHECK_OK(pthread_mutexattr_destroy(&attributes));
	return 0;
}
