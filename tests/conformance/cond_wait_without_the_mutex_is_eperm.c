/* With a mutex that knows its owner, a wait by another thread is EPERM, and waits for nothing. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_unowned(void *unused)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);

	(void)unused;
	CHECK_ERR(pthread_cond_wait(&cond, &mutex), EPERM);
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &later), EPERM);
	CHECK_ERR(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &later), EPERM);
	return NULL;
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
	struct check_thread thread;

	check_begin();
	for (int i = 0; i < 2; i++) {
		check_type_init(&mutex, types[i]);
		wait_unowned(NULL);
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&thread, wait_unowned, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
