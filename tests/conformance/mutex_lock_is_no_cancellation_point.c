/* A thread that is cancelled while it waits for a mutex gets the mutex first. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int got_it;
static int timed;

static void *lock(void *unused)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);

	(void)unused;
	if (timed)
		CHECK_OK(pthread_mutex_timedlock(&mutex, &later));
	else
		CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&got_it, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	pthread_testcancel();
	check_fail(__FILE__, __LINE__, "the cancellation was lost");
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (timed = 0; timed < 2; timed++) {
			atomic_store(&got_it, 0);
			CHECK_OK(pthread_mutex_lock(&mutex));
			check_start(&thread, lock, NULL);
			check_await_asleep(&thread);
			CHECK_OK(pthread_cancel(thread.handle));
			check_sleep_ms(5);
			check_await_asleep(&thread);
			CHECK_EQ(atomic_load(&got_it), 0);
			CHECK_OK(pthread_mutex_unlock(&mutex));
			CHECK(check_join(&thread) == PTHREAD_CANCELED);
			CHECK_EQ(atomic_load(&got_it), 1);
		}
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
