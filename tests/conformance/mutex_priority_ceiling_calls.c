/* Ceilings belong to PTHREAD_PRIO_PROTECT mutexes; the calls refuse every other kind. */
#include "support/kinds.h"

#include <sched.h>

static void check_other_kinds(void)
{
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		pthread_mutex_t mutex;
		int ceiling;

		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_ERR(pthread_mutex_getprioceiling(&mutex, &ceiling), EINVAL);
		CHECK_ERR(pthread_mutex_setprioceiling(&mutex, 5, &ceiling), EINVAL);
		CHECK_OK(pthread_mutex_trylock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
}

int main(void)
{
	struct sched_param parameter = {.sched_priority = 3};
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	int error, ceiling = -1;

	check_begin();
	check_other_kinds();
	error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
	if (error == EPERM)
		check_skip("SCHED_FIFO needs CAP_SYS_NICE or RLIMIT_RTPRIO");
	CHECK_OK(error);
	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&attributes, 5));
	CHECK_OK(pthread_mutex_init(&mutex, &attributes));
	CHECK_OK(pthread_mutex_getprioceiling(&mutex, &ceiling));
	CHECK_EQ(ceiling, 5);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_setprioceiling(&mutex, 2, &ceiling));
	CHECK_EQ(ceiling, 5);
	CHECK_OK(pthread_mutex_getprioceiling(&mutex, &ceiling));
	CHECK_EQ(ceiling, 2);
	CHECK_ERR(pthread_mutex_lock(&mutex), EINVAL); /* our priority is above the ceiling */
	CHECK_ERR(pthread_mutex_trylock(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_setprioceiling(&mutex, 1000, &ceiling), EINVAL);
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
