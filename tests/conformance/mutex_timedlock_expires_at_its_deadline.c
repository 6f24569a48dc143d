/* A timed lock of a held mutex says ETIMEDOUT, never before its deadline, and does not take it. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *wait_in_vain(void *unused)
{
	struct timespec real = check_after_ms(CLOCK_REALTIME, 30);
	struct timespec deadline;

	(void)unused;
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &real), ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &real));
	for (int i = 0; i < 2; i++) {
		clockid_t clock = i ? CLOCK_MONOTONIC : CLOCK_REALTIME;

		deadline = check_after_ms(clock, 30);
		CHECK_ERR(pthread_mutex_clocklock(&mutex, clock, &deadline), ETIMEDOUT);
		CHECK(check_is_past(clock, &deadline));
	}
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&thread, wait_in_vain, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_lock(&mutex)); /* the one that left is in nobody's way */
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
