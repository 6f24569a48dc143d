/* Memory that held a locked, contended or other mutex, never destroyed, is a fresh one after init.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;

static void *lock_and_leave(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	return NULL;
}

static void leave_locked(void)
{
	struct check_thread first, second;

	check_start(&first, lock_and_leave, NULL);
	check_join(&first);
	check_start(&second, lock_and_leave, NULL);
	check_await_asleep(&second);
	CHECK_OK(pthread_mutex_unlock(&mutex)); /* leaves it to the second, for good */
	check_join(&second);
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_type_init(&mutex, PTHREAD_MUTEX_NORMAL);
		leave_locked();
		CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_mutex_trylock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return 0;
}
