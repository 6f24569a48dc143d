/*
 * Recursive and error-checking mutexes know the owner by its thread id, which the child's thread has
 * not: glibc refuses its unlock, and init makes a new mutex there. Those that were free are usable.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t held, unheld;

static void *lock_and_unlock(void *mutex)
{
	CHECK_OK(pthread_mutex_lock(mutex));
	CHECK_OK(pthread_mutex_unlock(mutex));
	return NULL;
}

static void child(int type)
{
	lock_and_unlock(&unheld);
	CHECK_ERR(pthread_mutex_unlock(&held), EPERM);
	CHECK_ERR(pthread_mutex_trylock(&held), EBUSY);
	check_type_init(&held, type);
	lock_and_unlock(&held);
	CHECK_OK(pthread_mutex_destroy(&held));
	_exit(0);
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
	struct check_thread waiter;

	check_begin();
	for (int i = 0; i < 2; i++) {
		pid_t pid;

		check_type_init(&held, types[i]);
		check_type_init(&unheld, types[i]);
		CHECK_OK(pthread_mutex_lock(&held));
		check_start(&waiter, lock_and_unlock, &held);
		check_await_asleep(&waiter);
		pid = check_fork();
		if (pid == 0)
			child(types[i]);
		check_reap(pid);
		CHECK_OK(pthread_mutex_unlock(&held));
		check_join(&waiter);
		CHECK_OK(pthread_mutex_destroy(&held));
		CHECK_OK(pthread_mutex_destroy(&unheld));
	}
	return 0;
}
