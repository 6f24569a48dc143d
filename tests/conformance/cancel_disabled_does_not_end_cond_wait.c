/* With cancellation disabled the wait goes on until its signal; the request stays pending. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int finished;

static void *wait_uncancellable(void *unused)
{
	int old;

	(void)unused;
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	pthread_testcancel();
	atomic_store(&finished, 1);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
	pthread_testcancel();
	check_fail(__FILE__, __LINE__, "the cancellation was lost");
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	check_start(&thread, wait_uncancellable, NULL);
	check_await_asleep(&thread);
	CHECK_OK(pthread_cancel(thread.handle));
	check_sleep_ms(10);
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK(check_join(&thread) == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&finished), 1);
	return 0;
}
