/* A wait that takes over a robust mutex from a dead owner says EOWNERDEAD, and owns the mutex. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_ready(void *timed)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);
	int error = 0;

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready && !error)
		error = timed ? pthread_cond_timedwait(&cond, &mutex, &later)
			      : pthread_cond_wait(&cond, &mutex);
	CHECK_ERR(error, EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *signal_and_die(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(&cond));
	check_sleep_ms(10);
	return NULL;
}

int main(void)
{
	struct check_thread waiter, owner;

	check_begin();
	for (size_t k = 0; k < 2 * CHECK_KINDS; k++) {
		const struct check_kind *kind = &check_kinds[k / 2];

		if (!kind->robust)
			continue;
		check_kind_announce(kind);
		check_kind_init(kind, &mutex);
		ready = 0;
		check_start(&waiter, wait_for_ready, k % 2 ? &mutex : NULL);
		check_await_asleep(&waiter);
		check_start(&owner, signal_and_die, NULL);
		check_join(&owner);
		check_join(&waiter);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
