/*
 * A signal handler that interrupted a condition wait forks. In the child the wait must still end
 * when it is signalled there; in the child of a child it did not.
 */
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, is_grandchild;
static pid_t grandchild;
static atomic_int forked;
static struct check_thread waiter, waker;

static void *signal_ready(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void fork_here(int signal_number)
{
	(void)signal_number;
	grandchild = check_fork();
	if (grandchild == 0) {
		is_grandchild = 1;
		check_deadline(20);
		check_start(&waker, signal_ready, NULL);
	}
	atomic_store(&forked, 1);
}

static void *interrupt_and_signal(void *unused)
{
	(void)unused;
	check_await_asleep(&waiter);
	CHECK_OK(pthread_kill(waiter.handle, SIGUSR1));
	check_await(&forked, 1);
	return signal_ready(NULL);
}

/* With the parker that the timed wait of the parent left to this thread. */
static void wait_in_child(void)
{
	struct check_thread thread;

	waiter.handle = pthread_self();
	atomic_store(&waiter.tid, check_gettid());
	check_start(&thread, interrupt_and_signal, NULL);
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	if (is_grandchild)
		_exit(0);
	check_join(&thread);
	check_reap(grandchild);
	_exit(0);
}

int main(void)
{
	struct timespec soon;
	pid_t child;

	check_begin();
	CHECK(signal(SIGUSR1, fork_here) != SIG_ERR);
	soon = check_after_ms(CLOCK_REALTIME, 10);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	child = check_fork();
	if (child == 0)
		wait_in_child();
	check_reap(child);
	return 0;
}
