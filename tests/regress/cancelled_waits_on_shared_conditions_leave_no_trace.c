/*
 * A wait on a process-shared condition variable with a private mutex takes one of few places in a
 * table. Cancelled waits kept theirs; once all were taken, every later wait polled.
 */
#include "support/threads.h"

#define CANCELLED 80 /* more than there are places */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conds[CANCELLED + 1];
static int waiting, ready, returns;

static void unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *wait_for_ready(void *cond)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(unlock, NULL);
	waiting = 1;
	while (!ready) {
		CHECK_OK(pthread_cond_wait(cond, &mutex));
		returns++;
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void start_waiter(struct check_thread *thread, pthread_cond_t *cond)
{
	waiting = 0;
	check_start(thread, wait_for_ready, cond);
	check_await_guarded(&mutex, &waiting, 1);
}

int main(void)
{
	struct check_thread thread;
	pthread_condattr_t shared;

	check_begin();
	CHECK_OK(pthread_condattr_init(&shared));
	CHECK_OK(pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED));
	for (int i = 0; i <= CANCELLED; i++)
		CHECK_OK(pthread_cond_init(&conds[i], &shared));
	for (int i = 0; i < CANCELLED; i++) {
		start_waiter(&thread, &conds[i]);
		CHECK_OK(pthread_cancel(thread.handle));
		CHECK(check_join(&thread) == PTHREAD_CANCELED);
		CHECK_OK(pthread_cond_destroy(&conds[i]));
	}

	returns = 0;
	start_waiter(&thread, &conds[CANCELLED]);
	check_sleep_ms(200);
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(&conds[CANCELLED]));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
	CHECK_EQ(returns, 1);
	return 0;
}
