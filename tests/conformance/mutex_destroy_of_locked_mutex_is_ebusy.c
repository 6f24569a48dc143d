/* POSIX leaves it open; glibc says EBUSY (robust mutexes apart), and the mutex stays as it was. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int passed;

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&passed, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread waiter;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		if (check_kinds[k].robust)
			continue;
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_ERR(pthread_mutex_destroy(&mutex), EBUSY);
		atomic_store(&passed, 0);
		check_start(&waiter, lock_and_unlock, NULL);
		check_await_asleep(&waiter);
		CHECK_ERR(pthread_mutex_destroy(&mutex), EBUSY);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_join(&waiter);
		CHECK_EQ(atomic_load(&passed), 1);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
