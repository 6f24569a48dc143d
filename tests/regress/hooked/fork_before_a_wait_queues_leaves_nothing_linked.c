/*
 * A handler forks after a condition wait has begun and before it is in the queue. In the child the
 * wait ended, but was entered into the queue all the same: destroy waited for it for ever.
 */
#include "support/threads.h"
#include "sys/delay.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static _Thread_local int armed;
static pid_t child = -1;

void own_delay(const char *label)
{
	if (!armed || strcmp(label, "C-queue before") != 0)
		return;
	armed = 0;
	child = check_fork();
	if (child == 0)
		check_deadline(20);
}

int main(void)
{
	struct timespec soon;
	int result;

	check_begin();
	CHECK_OK(pthread_mutex_lock(&mutex));
	soon = check_after_ms(CLOCK_REALTIME, 200);
	armed = 1;
	result = pthread_cond_timedwait(&cond, &mutex, &soon);
	armed = 0;
	CHECK(result == 0 || result == ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(&cond));
	if (child == 0)
		_exit(0);
	CHECK(child > 0);
	check_reap(child);
	return 0;
}
