/*
 * A handler forks while the mutex is being handed to a waiter, which the child does not have. There
 * the mutex stayed locked, though its unlock had returned.
 */
#include "support/threads.h"
#include "sys/delay.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int armed;
static pid_t child = -1;

void own_delay(const char *label)
{
	if (!armed || strcmp(label, "M-queue taken") != 0)
		return;
	armed = 0;
	child = check_fork();
}

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	CHECK_OK(pthread_mutex_lock(&mutex));
	check_start(&thread, lock_and_unlock, NULL);
	check_await_asleep(&thread);
	check_sleep_ms(300); /* far beyond the age at which even a sleeper is handed the mutex */
	armed = 1;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	armed = 0;
	if (child == 0) {
		CHECK_OK(pthread_mutex_trylock(&mutex));
		_exit(0);
	}
	CHECK(child > 0);
	check_reap(child);
	check_join(&thread);
	return 0;
}
