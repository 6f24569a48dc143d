/* Recursive and error-checking mutexes are unlocked by their owner alone; a failed unlock changes
 * nothing. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *unlock(void *unused)
{
	(void)unused;
	CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	return NULL;
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
	struct check_thread thread;

	check_begin();
	for (int i = 0; i < 2; i++) {
		check_type_init(&mutex, types[i]);
		CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
		CHECK_OK(pthread_mutex_lock(&mutex));
		check_start(&thread, unlock, NULL);
		check_join(&thread);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
