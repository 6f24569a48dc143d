/* POSIX leaves it open; glibc returns 0, and the mutex works on. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *try_lock(void *unused)
{
	(void)unused;
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	return NULL;
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP};
	struct check_thread thread;

	check_begin();
	for (int i = 0; i < 2; i++) {
		check_type_init(&mutex, types[i]);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&thread, try_lock, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_trylock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return 0;
}
