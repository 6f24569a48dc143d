/*
 * A condition variable had waiters at the fork, which do not exist in the child. On ownline they
 * are forgotten: the child signals, waits and destroys. glibc keeps them on its count, so that
 * signal, broadcast and destroy may wait for them for ever: there the child only waits with a
 * deadline and makes a new one of it, which is all that a portable program can do.
 */
#include "support/kinds.h"
#include "support/ready.h"

#define WAITERS 4

static void wake(int (*how)(pthread_cond_t *))
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(how(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void child(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);
	struct check_thread thread;

	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	if (!check_on_ownline())
		CHECK_OK(pthread_cond_init(&cond, NULL));
	for (int round = 0; round < 3; round++) {
		ready = 0;
		check_start(&thread, wait_for_ready, NULL);
		check_await_asleep(&thread);
		wake(round ? pthread_cond_signal : pthread_cond_broadcast);
		check_join(&thread);
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	_exit(0);
}

int main(void)
{
	struct check_thread threads[WAITERS];
	pid_t pid;

	check_begin();
	for (int i = 0; i < WAITERS; i++)
		check_start(&threads[i], wait_for_ready, NULL);
	for (int i = 0; i < WAITERS; i++)
		check_await_asleep(&threads[i]);
	pid = check_fork();
	if (pid == 0)
		child();
	check_reap(pid);
	for (int i = 0; i < WAITERS; i++)
		check_await_asleep(&threads[i]);
	wake(pthread_cond_broadcast);
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
