/* When nobody waits any more, a condition variable may be used with another mutex, of any kind. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutexes[CHECK_KINDS];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_ready(void *mutex)
{
	CHECK_OK(pthread_mutex_lock(mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, mutex));
	CHECK_OK(pthread_mutex_unlock(mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[3];

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++)
		check_kind_init(&check_kinds[k], &mutexes[k]);
	for (size_t turn = 0; turn < 3 * CHECK_KINDS; turn++) {
		pthread_mutex_t *mutex = &mutexes[turn % CHECK_KINDS];

		ready = 0;
		for (int i = 0; i < 3; i++)
			check_start(&threads[i], wait_for_ready, mutex);
		for (int i = 0; i < 3; i++)
			check_await_asleep(&threads[i]);
		CHECK_OK(pthread_mutex_lock(mutex));
		ready = 1;
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(mutex));
		for (int i = 0; i < 3; i++)
			check_join(&threads[i]);
	}
	return 0;
}
