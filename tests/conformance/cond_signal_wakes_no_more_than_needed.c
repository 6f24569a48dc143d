/* With everybody asleep each signal ends one wait, whether the mutex is held or not; a broadcast
 * all. */
#include "support/kinds.h"
#include "support/threads.h"

#define WAITERS 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting;
static atomic_int woken;

static void *wait_once(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	waiting++;
	CHECK_OK(pthread_cond_wait(&cond, &mutex));
	atomic_fetch_add(&woken, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[WAITERS];

	check_begin();
	for (int round = 0; round < 2; round++) {
		waiting = 0;
		atomic_store(&woken, 0);
		for (int i = 0; i < WAITERS; i++)
			check_start(&threads[i], wait_once, NULL);
		/* Who is asleep may as well wait for the mutex. */
		check_await_guarded(&mutex, &waiting, WAITERS);
		for (int i = 0; i < WAITERS; i++)
			check_await_asleep(&threads[i]);
		for (int i = 1; i <= WAITERS / 2; i++) {
			if (round)
				CHECK_OK(pthread_mutex_lock(&mutex));
			CHECK_OK(pthread_cond_signal(&cond));
			if (round)
				CHECK_OK(pthread_mutex_unlock(&mutex));
			check_await(&woken, i);
			check_sleep_ms(2);
			CHECK_EQ(atomic_load(&woken), i);
		}
		CHECK_OK(pthread_cond_broadcast(&cond));
		for (int i = 0; i < WAITERS; i++)
			check_join(&threads[i]);
		CHECK_EQ(atomic_load(&woken), WAITERS);
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
