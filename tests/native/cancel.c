/* A native wait is a cancellation point: the mutex is held again before clean-up handlers run. */
#include "support/threads.h"

#include <ownline/ownline.h>

static struct ownline_mutex mutex = OWNLINE_MUTEX_INIT;
static struct ownline_cond cond = OWNLINE_COND_INIT;
static int cleaned;

static void clean_up(void *unused)
{
	(void)unused;
	CHECK_ERR(ownline_mutex_trylock(&mutex), EBUSY);
	cleaned++;
	ownline_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *timed)
{
	struct timespec end = check_after_ms(CLOCK_MONOTONIC, 3600000);

	ownline_mutex_lock(&mutex);
	pthread_cleanup_push(clean_up, NULL);
	for (;;) {
		if (timed)
			CHECK_OK(ownline_cond_wait_until(&cond, &mutex, CLOCK_MONOTONIC, &end));
		else
			ownline_cond_wait(&cond, &mutex);
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	ownline_mutex_lock(&mutex);
	ownline_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (int timed = 0; timed < 2; timed++) {
		check_start(&thread, wait_for_ever, timed ? &cond : NULL);
		check_await_asleep(&thread);
		CHECK_OK(pthread_cancel(thread.handle));
		CHECK(check_join(&thread) == PTHREAD_CANCELED);
		CHECK_EQ(cleaned, timed + 1);
	}
	/* Lock is none: the thread ends normally although it has been cancelled. */
	ownline_mutex_lock(&mutex);
	check_start(&thread, lock_and_unlock, NULL);
	check_await_asleep(&thread);
	CHECK_OK(pthread_cancel(thread.handle));
	ownline_mutex_unlock(&mutex);
	CHECK(check_join(&thread) == NULL);
	ownline_cond_destroy(&cond);
	return 0;
}
