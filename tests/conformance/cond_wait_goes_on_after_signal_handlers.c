/* Handlers run while a thread waits for a condition, with SA_RESTART or without; no call says
 * EINTR. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int handled, returned;
static int ready;

static void handle(int signal_number)
{
	(void)signal_number;
	atomic_fetch_add(&handled, 1);
}

static void *wait_for_ready(void *timed)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		if (timed)
			CHECK_OK(pthread_cond_timedwait(&cond, &mutex, &later));
		else
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
	atomic_store(&returned, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void check_flags(int flags, void *timed)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
	struct check_thread thread;

	CHECK_SYS(sigaction(SIGUSR1, &action, NULL));
	atomic_store(&handled, 0);
	atomic_store(&returned, 0);
	ready = 0;
	check_start(&thread, wait_for_ready, timed);
	check_await_asleep(&thread);
	for (int i = 1; i <= 20; i++) {
		CHECK_OK(pthread_kill(thread.handle, SIGUSR1));
		check_await(&handled, i);
	}
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_EQ(atomic_load(&returned), 0);
	ready = 1;
	CHECK_OK(pthread_cond_signal(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
}

int main(void)
{
	check_begin();
	for (int timed = 0; timed < 2; timed++) {
		check_flags(0, timed ? &mutex : NULL);
		check_flags(SA_RESTART, timed ? &mutex : NULL);
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
