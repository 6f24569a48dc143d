/* While a thread waits its mutex is free; when the wait returns the thread owns it again. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int returned;

static void *wait_for_ready(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	atomic_store(&returned, 1);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	check_start(&thread, wait_for_ready, NULL);
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_trylock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(&cond));
	check_sleep_ms(10); /* woken or not: it cannot return before the mutex is free */
	CHECK_EQ(atomic_load(&returned), 0);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
