/*
 * Unlocked without pthread_mutex_consistent after EOWNERDEAD, a robust mutex is lost, for waiters
 * too. (A timed lock is not tried: there glibc 2.36 times out or says EDEADLK instead.)
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *lock_and_die(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	return NULL;
}

static void *wait_for_it(void *unused)
{
	(void)unused;
	CHECK_ERR(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
	return NULL;
}

int main(void)
{
	struct check_thread owner, waiter;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		if (!check_kinds[k].robust)
			continue;
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		check_start(&owner, lock_and_die, NULL);
		check_join(&owner);
		CHECK_ERR(pthread_mutex_lock(&mutex), EOWNERDEAD);
		check_start(&waiter, wait_for_it, NULL);
		check_await_asleep(&waiter);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_join(&waiter);
		CHECK_ERR(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
		CHECK_ERR(pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
		CHECK_OK(pthread_mutex_destroy(&mutex));
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
