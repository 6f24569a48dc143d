/* A thread that begins to wait after the signal does not get it instead of the one that waited
 * before. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int woken;

static void *wait_once(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_cond_wait(&cond, &mutex));
	atomic_store(&woken, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	for (int round = 0; round < 200; round++) {
		struct timespec later;

		atomic_store(&woken, 0);
		check_start(&thread, wait_once, NULL);
		check_await_asleep(&thread);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_cond_signal(&cond));
		later = check_after_ms(CLOCK_REALTIME, round % 2 ? 5 : 0);
		CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &later), ETIMEDOUT);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_join(&thread);
		CHECK_EQ(atomic_load(&woken), 1);
	}
	return 0;
}
