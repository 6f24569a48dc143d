/*
 * Recursive and error-checking mutexes that the forking thread holds. POSIX makes the child's
 * thread a replica of it, so that it should own them: on ownline it does. glibc knows the owner by
 * its thread id, which the child has not: there unlock is EPERM, and init has to make a new mutex.
 * Mutexes that were free are usable on both.
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

static void *expect_refusal(void *mutex)
{
	CHECK_ERR(pthread_mutex_unlock(mutex), EPERM);
	CHECK_ERR(pthread_mutex_trylock(mutex), EBUSY);
	return NULL;
}

static void use_as_owner(int type)
{
	struct check_thread thread;

	check_start(&thread, expect_refusal, &held);
	check_join(&thread);
	CHECK_ERR(pthread_mutex_lock(&held), type == PTHREAD_MUTEX_RECURSIVE ? 0 : EDEADLK);
	if (type == PTHREAD_MUTEX_RECURSIVE)
		CHECK_OK(pthread_mutex_unlock(&held));
	CHECK_OK(pthread_mutex_unlock(&held));
	CHECK_ERR(pthread_mutex_unlock(&held), EPERM);
	check_start(&thread, lock_and_unlock, &held);
	check_join(&thread);
	CHECK_OK(pthread_mutex_destroy(&held));
}

static void child(int type)
{
	lock_and_unlock(&unheld);
	if (check_on_ownline())
		use_as_owner(type);
	else
		expect_refusal(&held);
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
