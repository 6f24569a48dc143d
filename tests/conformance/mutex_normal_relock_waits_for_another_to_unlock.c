/*
 * A normal (and adaptive) mutex locked again by its owner blocks; glibc lets any thread unlock it,
 * and then the owner goes on.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int passed;

static void *lock_twice(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&passed, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void check_type(int type)
{
	struct check_thread thread;

	check_type_init(&mutex, type);
	atomic_store(&passed, 0);
	check_start(&thread, lock_twice, NULL);
	check_await_asleep(&thread);
	CHECK_EQ(atomic_load(&passed), 0);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
	CHECK_EQ(atomic_load(&passed), 1);
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	check_type(PTHREAD_MUTEX_NORMAL);
	check_type(PTHREAD_MUTEX_ADAPTIVE_NP);
	return 0;
}
