/* A SCHED_FIFO waiter lends its priority to the owner of a priority-inheritance mutex. */
#include "support/kinds.h"
#include "support/threads.h"

#include <sched.h>

static pthread_mutex_t mutex;

static void *lock_with_priority(void *unused)
{
	struct sched_param parameter = {.sched_priority = 7};
	int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);

	(void)unused;
	if (error == EPERM)
		check_skip("SCHED_FIFO needs CAP_SYS_NICE or RLIMIT_RTPRIO");
	CHECK_OK(error);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

/* Field 18 of stat: -1 - priority for real-time threads, nice + 20 for others. */
static long kernel_priority(int tid)
{
	char path[64], text[512], *rest;
	long priority;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	CHECK(check_read_proc(path, text, sizeof(text)));
	rest = strrchr(text, ')');
	CHECK(rest);
	CHECK_EQ(sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %ld",
			&priority),
		 1);
	return priority;
}

int main(void)
{
	static const struct check_kind kind = {"inherit", PTHREAD_MUTEX_NORMAL, 0, 0,
					       PTHREAD_PRIO_INHERIT};
	struct check_thread thread;

	check_begin();
	check_kind_init(&kind, &mutex);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK(kernel_priority(check_gettid()) >= 0);
	check_start(&thread, lock_with_priority, NULL);
	check_await_asleep(&thread);
	CHECK_EQ(kernel_priority(check_gettid()), -8);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK(kernel_priority(check_gettid()) >= 0);
	check_join(&thread);
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
