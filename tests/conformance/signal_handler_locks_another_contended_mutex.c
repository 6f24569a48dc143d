/*
 * A handler interrupts a wait (for a mutex, then for a condition) and waits for another mutex
 * itself: both waits must end well. POSIX does not promise it, glibc does it.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int in_handler, out_of_handler;
static int ready;

static void handle(int signal_number)
{
	(void)signal_number;
	atomic_fetch_add(&in_handler, 1);
	CHECK_OK(pthread_mutex_lock(&inner));
	CHECK_OK(pthread_mutex_unlock(&inner));
	atomic_fetch_add(&out_of_handler, 1);
}

static void *wait_for_mutex(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&outer));
	CHECK_OK(pthread_mutex_unlock(&outer));
	return NULL;
}

static void *wait_for_cond(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&outer));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &outer));
	CHECK_OK(pthread_mutex_unlock(&outer));
	return NULL;
}

static void interrupt(struct check_thread *thread, int release_outer_first)
{
	int before = atomic_load(&in_handler);

	check_await_asleep(thread);
	CHECK_OK(pthread_mutex_lock(&inner));
	CHECK_OK(pthread_kill(thread->handle, SIGUSR1));
	check_await(&in_handler, before + 1);
	check_await_asleep(thread);
	if (release_outer_first) { /* the outer wake arrives while the handler waits */
		ready = 1;
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_mutex_unlock(&outer));
		check_sleep_ms(5);
	}
	CHECK_EQ(atomic_load(&out_of_handler), before);
	CHECK_OK(pthread_mutex_unlock(&inner));
	check_await(&out_of_handler, before + 1);
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle};
	struct check_thread thread;

	check_begin();
	CHECK_SYS(sigaction(SIGUSR1, &action, NULL));
	for (int early = 0; early < 2; early++) {
		CHECK_OK(pthread_mutex_lock(&outer));
		check_start(&thread, wait_for_mutex, NULL);
		interrupt(&thread, 0);
		interrupt(&thread, early);
		if (!early)
			CHECK_OK(pthread_mutex_unlock(&outer));
		check_join(&thread);
	}
	for (int early = 0; early < 2; early++) {
		ready = 0;
		check_start(&thread, wait_for_cond, NULL);
		check_await_asleep(&thread);
		CHECK_OK(pthread_mutex_lock(&outer));
		interrupt(&thread, 0);
		interrupt(&thread, early);
		if (!early) {
			ready = 1;
			CHECK_OK(pthread_cond_signal(&cond));
			CHECK_OK(pthread_mutex_unlock(&outer));
		}
		check_join(&thread);
	}
	return 0;
}
