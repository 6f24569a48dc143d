/* mtx_*: each type with each result that the standard and glibc give. */
#include "support/kinds.h"
#include "support/threads.h"

#include <threads.h>

static mtx_t mutex;

static void *expect_busy(void *unused)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);

	(void)unused;
	CHECK_EQ(mtx_trylock(&mutex), thrd_busy);
	CHECK_EQ(mtx_timedlock(&mutex, &soon), thrd_timedout);
	CHECK(check_is_past(CLOCK_REALTIME, &soon));
	soon.tv_nsec = -1;
	CHECK_EQ(mtx_timedlock(&mutex, &soon), thrd_error);
	return NULL;
}

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_EQ(mtx_lock(&mutex), thrd_success);
	CHECK_EQ(mtx_unlock(&mutex), thrd_success);
	return NULL;
}

static void check_type(int type, int recursive)
{
	struct timespec past = check_after_ms(CLOCK_REALTIME, -1000);
	struct check_thread thread;

	CHECK_EQ(mtx_init(&mutex, type), thrd_success);
	CHECK_EQ(mtx_lock(&mutex), thrd_success);
	CHECK_EQ(mtx_trylock(&mutex), recursive ? thrd_success : thrd_busy);
	CHECK_EQ(mtx_timedlock(&mutex, &past), recursive ? thrd_success : thrd_timedout);
	check_start(&thread, expect_busy, NULL);
	check_join(&thread);
	for (int i = recursive ? 2 : 0; i > 0; i--)
		CHECK_EQ(mtx_unlock(&mutex), thrd_success);
	check_start(&thread, lock_and_unlock, NULL);
	check_await_asleep(&thread);
	CHECK_EQ(mtx_unlock(&mutex), thrd_success);
	check_join(&thread);
	CHECK_EQ(mtx_timedlock(&mutex, &past), thrd_success);
	CHECK_EQ(mtx_unlock(&mutex), thrd_success);
	if (recursive)
		CHECK_EQ(mtx_unlock(&mutex), thrd_error);
	mtx_destroy(&mutex);
}

int main(void)
{
	check_begin();
	check_type(mtx_plain, 0);
	check_type(mtx_timed, 0);
	check_type(mtx_plain | mtx_recursive, 1);
	check_type(mtx_timed | mtx_recursive, 1);
	/* No types of the standard's: glibc takes whatever it does not know for a plain mutex. */
	check_type(4, 0);
	check_type(4 | mtx_recursive, 0);
	check_type(-1, 0);
	return 0;
}
