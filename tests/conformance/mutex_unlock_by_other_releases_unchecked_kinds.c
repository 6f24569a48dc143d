/* POSIX leaves it open; glibc lets any thread unlock a normal or adaptive mutex, and programs use
 * it. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int locked;

static void *lock_and_leave(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_fetch_add(&locked, 1);
	return NULL;
}

static void check_type(int type)
{
	struct check_thread owner, waiter;

	check_type_init(&mutex, type);
	atomic_store(&locked, 0);
	check_start(&owner, lock_and_leave, NULL);
	check_join(&owner);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);

	/* With a waiter: it must be woken although the owner is gone. */
	check_start(&waiter, lock_and_leave, NULL);
	check_await_asleep(&waiter);
	CHECK_EQ(atomic_load(&locked), 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&waiter);
	CHECK_EQ(atomic_load(&locked), 2);

	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	check_type(PTHREAD_MUTEX_NORMAL);
	check_type(PTHREAD_MUTEX_ADAPTIVE_NP);
	return 0;
}
