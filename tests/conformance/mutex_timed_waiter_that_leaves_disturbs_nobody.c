/* Of three that wait, the one in the middle gives up: the others get the mutex all the same. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int passed;

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_fetch_add(&passed, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *give_up(void *unused)
{
	struct timespec soon = check_after_ms(CLOCK_MONOTONIC, 50);

	(void)unused;
	CHECK_ERR(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	return NULL;
}

static void check_order(int position_that_leaves)
{
	struct check_thread threads[3];

	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&passed, 0);
	for (int i = 0; i < 3; i++) {
		check_start(&threads[i], i == position_that_leaves ? give_up : lock_and_unlock,
			    NULL);
		if (i != position_that_leaves)
			check_await_asleep(&threads[i]);
		else
			check_sleep_ms(5);
	}
	check_join(&threads[position_that_leaves]);
	CHECK_EQ(atomic_load(&passed), 0);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < 3; i++)
		if (i != position_that_leaves)
			check_join(&threads[i]);
	CHECK_EQ(atomic_load(&passed), 2);
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (int position = 0; position < 3; position++)
			check_order(position);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
