/* Bad attribute values are refused and leave the attribute as it was. */
#include "support/kinds.h"
#include "support/threads.h"

int main(void)
{
	pthread_condattr_t attributes;
	clockid_t clock;
	int shared;

	check_begin();
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_ERR(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	CHECK_ERR(pthread_condattr_setclock(&attributes, CLOCK_BOOTTIME), EINVAL);
	CHECK_ERR(pthread_condattr_setclock(&attributes, -1), EINVAL);
	CHECK_OK(pthread_condattr_getclock(&attributes, &clock));
	CHECK_EQ(clock, CLOCK_REALTIME);
	CHECK_ERR(pthread_condattr_setpshared(&attributes, 2), EINVAL);
	CHECK_OK(pthread_condattr_getpshared(&attributes, &shared));
	CHECK_EQ(shared, PTHREAD_PROCESS_PRIVATE);
	CHECK_OK(pthread_condattr_destroy(&attributes));
	return 0;
}
