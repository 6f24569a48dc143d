/* daemon() forks and lets the parent go: the daemon works on with the locks of the process it was.
 */
#include "support/kinds.h"
#include "support/ready.h"

/* The process that becomes a daemon: its exit status is daemon()'s, the result goes to the pipe. */
static void become_daemon(int result)
{
	struct check_thread waiting, locking, own;

	check_start(&waiting, wait_for_ready, NULL);
	check_await_asleep(&waiting);
	CHECK_OK(pthread_mutex_lock(&mutex));
	check_start(&locking, lock_and_unlock, NULL);
	check_await_asleep(&locking);
	CHECK_SYS(daemon(0, 1));
	check_deadline(CHECK_DEADLINE_SECONDS);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_start(&own, wait_for_ready, NULL);
	check_await_asleep(&own);
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&own);
	CHECK_EQ(write(result, "done", 4), 4);
	_exit(0);
}

int main(void)
{
	char text[8] = "";
	int ends[2];
	pid_t pid;

	check_begin();
	CHECK_SYS(pipe(ends));
	pid = check_fork();
	if (pid == 0) {
		close(ends[0]);
		become_daemon(ends[1]);
	}
	close(ends[1]);
	check_reap(pid);
	CHECK_EQ(read(ends[0], text, 4), 4);
	CHECK(strcmp(text, "done") == 0);
	return 0;
}
