/*
 * A handler forks while broadcast moves waiters to the queue of the mutex, and returns in the
 * child, which has none of these threads. They were queued there all the same: unlock then woke
 * waiters that do not exist, and those that do waited behind them for ever.
 */
#include "support/ready.h"
#include "sys/delay.h"

#define WAITERS 4

static _Thread_local const char *fork_at;
static _Thread_local int passes; /* of that step, before the fork */
static pid_t child;

void own_delay(const char *label)
{
	if (!fork_at || strcmp(label, fork_at) != 0 || passes-- > 0)
		return;
	fork_at = NULL;
	child = check_fork();
	if (child == 0)
		check_deadline(60);
}

/* The caller holds the mutex; its waiters are those of this process. */
static void pass_mutex_on(void)
{
	struct check_thread threads[WAITERS];

	for (int i = 0; i < WAITERS; i++) {
		check_start(&threads[i], lock_and_unlock, NULL);
		check_await_asleep(&threads[i]);
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
}

static void fork_in_broadcast(const char *step, int after)
{
	struct check_thread threads[WAITERS];

	ready = 0;
	for (int i = 0; i < WAITERS; i++) {
		check_start(&threads[i], wait_for_ready, NULL);
		check_await_asleep(&threads[i]);
	}
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	child = -1;
	fork_at = step;
	passes = after;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK(!fork_at);
	if (child == 0) {
		pass_mutex_on();
		CHECK_OK(pthread_cond_destroy(&cond));
		_exit(0);
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	check_reap(child);
}

int main(void)
{
	check_begin();
	fork_in_broadcast("broadcast", 0);	/* before the first is woken */
	fork_in_broadcast("broadcast", 1);	/* before the others are moved */
	fork_in_broadcast("M-queue before", 0); /* while they are moved */
	fork_in_broadcast("M-leave before", 0); /* when they have been */
	return 0;
}
