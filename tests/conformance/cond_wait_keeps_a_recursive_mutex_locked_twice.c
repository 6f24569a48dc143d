/*
 * POSIX leaves it open; glibc gives back one lock of the two, so that the mutex stays locked during
 * the wait, and takes one again after it.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int go;

static void *wait_with_two_locks(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!atomic_load(&go))
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_RECURSIVE);
	check_start(&thread, wait_with_two_locks, NULL);
	check_await_asleep(&thread);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	atomic_store(&go, 1);
	CHECK_OK(pthread_cond_signal(&cond));
	check_join(&thread);
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return 0;
}
