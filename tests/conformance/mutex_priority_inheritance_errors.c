/* Priority-inheritance mutexes are the C library's, with its errors. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *expect_busy(void *unused)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);

	(void)unused;
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
	CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
	return NULL;
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};

	check_begin();
	for (int i = 0; i < 2; i++) {
		struct check_kind kind = {"inherit", types[i], 0, 0, PTHREAD_PRIO_INHERIT};
		struct check_thread thread;

		check_kind_init(&kind, &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_ERR(pthread_mutex_lock(&mutex), i ? EDEADLK : 0);
		check_start(&thread, expect_busy, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		if (!i)
			CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
