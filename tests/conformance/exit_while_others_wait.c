/*
 * exit (with handlers that lock contended mutexes), _exit and return from main end the process with
 * its status while other threads wait for mutexes and conditions or go on locking.
 */
#include "support/left_behind.h"

static void lock_at_exit(void)
{
	for (int i = 0; i < 100; i++) {
		CHECK_OK(pthread_mutex_lock(&busy));
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_mutex_unlock(&busy));
	}
	if (write(STDOUT_FILENO, "handler ran\n", 12) != 12)
		_exit(1);
}

static void leave(int way)
{
	static struct check_thread threads[6];

	CHECK_OK(pthread_mutex_lock(&held));
	for (int i = 0; i < 2; i++) {
		start_waiters(&threads[3 * i]);
		check_start(&threads[3 * i + 2], keep_locking, NULL);
	}
	check_sleep_ms(2);
	atexit(lock_at_exit);
	if (way)
		exit(7);
	_exit(7);
}

int main(void)
{
	check_begin();
	for (int round = 0; round < 20; round++) {
		int status;
		pid_t pid = check_fork();

		if (pid == 0)
			leave(round % 2);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		CHECK_EQ(WEXITSTATUS(status), 7);
	}
	return 0;
}
