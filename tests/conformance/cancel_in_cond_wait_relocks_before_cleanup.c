/*
 * A cancelled wait locks the mutex again before the cleanup handlers run, for every kind of mutex,
 * also when another thread holds it at that moment.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static int in_main; /* under the mutex */
static atomic_int cleaned;

static void clean(void *unused)
{
	(void)unused;
	CHECK_EQ(in_main, 0);
	atomic_store(&cleaned, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *wait_for_ever(void *way)
{
	struct timespec later = check_after_ms(CLOCK_REALTIME, 600000);

	CHECK_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(clean, NULL);
	for (;;)
		if ((uintptr_t)way == 0)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		else if ((uintptr_t)way == 1)
			CHECK_OK(pthread_cond_timedwait(&cond, &mutex, &later));
		else
			CHECK_OK(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &later));
	pthread_cleanup_pop(0);
	return NULL;
}

static void check_cancel(uintptr_t way)
{
	struct check_thread thread;

	atomic_store(&cleaned, 0);
	check_start(&thread, wait_for_ever, (void *)way);
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_lock(&mutex));
	in_main = 1;
	CHECK_OK(pthread_cancel(thread.handle));
	check_sleep_ms(5);
	CHECK_EQ(atomic_load(&cleaned), 0);
	in_main = 0;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK(check_join(&thread) == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&cleaned), 1);
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	check_begin();
	for (int shared = 0; shared < 2; shared++) {
		pthread_condattr_t attributes;

		CHECK_OK(pthread_condattr_init(&attributes));
		CHECK_OK(pthread_condattr_setpshared(&attributes, shared));
		for (size_t k = 0; k < CHECK_KINDS; k++) {
			printf("%s condition variable, ", shared ? "shared" : "private");
			check_kind_announce(&check_kinds[k]);
			check_kind_init(&check_kinds[k], &mutex);
			CHECK_OK(pthread_cond_init(&cond, &attributes));
			for (uintptr_t way = 0; way < 3; way++)
				check_cancel(way);
			CHECK_OK(pthread_cond_destroy(&cond));
			CHECK_OK(pthread_mutex_destroy(&mutex));
		}
	}
	return 0;
}
