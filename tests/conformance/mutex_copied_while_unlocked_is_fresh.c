/*
 * A copy of an unlocked mutex, also of one that was contended before, is a mutex of its own: both
 * can be held at once, and waiters of one are no waiters of the other.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t original, copy;
static atomic_int passed;

static void *use(void *mutex)
{
	for (int i = 0; i < 20000; i++) {
		CHECK_OK(pthread_mutex_lock(mutex));
		CHECK_OK(pthread_mutex_unlock(mutex));
	}
	return NULL;
}

static void *lock_and_unlock(void *mutex)
{
	CHECK_OK(pthread_mutex_lock(mutex));
	atomic_fetch_add(&passed, 1);
	CHECK_OK(pthread_mutex_unlock(mutex));
	return NULL;
}

static void contend(pthread_mutex_t *mutex)
{
	struct check_thread users[3], blocked;

	for (int i = 0; i < 3; i++)
		check_start(&users[i], use, mutex);
	for (int i = 0; i < 3; i++)
		check_join(&users[i]);
	CHECK_OK(pthread_mutex_lock(mutex));
	check_start(&blocked, lock_and_unlock, mutex);
	check_await_asleep(&blocked);
	CHECK_OK(pthread_mutex_unlock(mutex));
	check_join(&blocked);
}

int main(void)
{
	struct check_thread of_original, of_copy;

	check_begin();
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &original);
		contend(&original);
		memcpy(&copy, &original, sizeof(copy));
		atomic_store(&passed, 0);
		CHECK_OK(pthread_mutex_trylock(&original));
		CHECK_OK(pthread_mutex_trylock(&copy));
		check_start(&of_original, lock_and_unlock, &original);
		check_start(&of_copy, lock_and_unlock, &copy);
		check_await_asleep(&of_original);
		check_await_asleep(&of_copy);
		CHECK_OK(pthread_mutex_unlock(&copy));
		check_join(&of_copy);
		CHECK_EQ(atomic_load(&passed), 1);
		CHECK_ERR(pthread_mutex_destroy(&original), EBUSY);
		CHECK_OK(pthread_mutex_unlock(&original));
		check_join(&of_original);
		CHECK_EQ(atomic_load(&passed), 2);
		contend(&copy);
		CHECK_OK(pthread_mutex_destroy(&original));
		contend(&copy);
		CHECK_OK(pthread_mutex_destroy(&copy));
	}
	return 0;
}
