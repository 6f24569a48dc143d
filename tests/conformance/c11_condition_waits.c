/* cnd_*: signal, broadcast, time-out on CLOCK_REALTIME, and errors. */
#include "support/kinds.h"
#include "support/threads.h"

#include <threads.h>

#define WAITERS 4

static mtx_t mutex;
static cnd_t cond;
static int tokens;
static atomic_int taken;

static void *take_token(void *timed)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);

	CHECK_EQ(mtx_lock(&mutex), thrd_success);
	while (!tokens)
		if (timed)
			CHECK_EQ(cnd_timedwait(&cond, &mutex, &later), thrd_success);
		else
			CHECK_EQ(cnd_wait(&cond, &mutex), thrd_success);
	tokens--;
	atomic_fetch_add(&taken, 1);
	CHECK_EQ(mtx_unlock(&mutex), thrd_success);
	return NULL;
}

static void check_timeout(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);
	struct timespec bad = {0, 1000000000};

	CHECK_EQ(mtx_lock(&mutex), thrd_success);
	CHECK_EQ(cnd_timedwait(&cond, &mutex, &soon), thrd_timedout);
	CHECK(check_is_past(CLOCK_REALTIME, &soon));
	CHECK_EQ(cnd_timedwait(&cond, &mutex, &bad), thrd_error);
	CHECK_EQ(mtx_unlock(&mutex), thrd_success);
}

int main(void)
{
	static const int types[] = {mtx_plain, mtx_timed | mtx_recursive};
	struct check_thread threads[WAITERS];

	check_begin();
	for (int round = 0; round < 2; round++) {
		CHECK_EQ(mtx_init(&mutex, types[round]), thrd_success);
		CHECK_EQ(cnd_init(&cond), thrd_success);
		atomic_store(&taken, 0);
		check_timeout();
		CHECK_EQ(cnd_signal(&cond), thrd_success);
		for (int i = 0; i < WAITERS; i++)
			check_start(&threads[i], take_token, i % 2 ? &mutex : NULL);
		for (int i = 0; i < WAITERS; i++)
			check_await_asleep(&threads[i]);
		CHECK_EQ(mtx_lock(&mutex), thrd_success);
		tokens = 1;
		CHECK_EQ(cnd_signal(&cond), thrd_success);
		CHECK_EQ(mtx_unlock(&mutex), thrd_success);
		check_await(&taken, 1);
		CHECK_EQ(mtx_lock(&mutex), thrd_success);
		CHECK_EQ(tokens, 0);
		tokens = WAITERS - 1;
		CHECK_EQ(cnd_broadcast(&cond), thrd_success);
		CHECK_EQ(mtx_unlock(&mutex), thrd_success);
		for (int i = 0; i < WAITERS; i++)
			check_join(&threads[i]);
		cnd_destroy(&cond);
		mtx_destroy(&mutex);
	}
	return 0;
}
