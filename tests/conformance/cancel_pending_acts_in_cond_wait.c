/* A cancellation that is pending when the wait begins acts there, with the mutex locked for
 * cleanup. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int cancelled, cleaned;

static void clean(void *unused)
{
	(void)unused;
	atomic_store(&cleaned, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex)); /* error-checking: EPERM if it were not ours */
}

static void *wait_when_cancelled(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(clean, NULL);
	while (!atomic_load(&cancelled))
		;
	CHECK_OK(pthread_cond_wait(&cond, &mutex));
	check_fail(__FILE__, __LINE__, "the wait returned");
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	check_type_init(&mutex, PTHREAD_MUTEX_ERRORCHECK);
	check_start(&thread, wait_when_cancelled, NULL);
	CHECK_OK(pthread_cancel(thread.handle));
	atomic_store(&cancelled, 1);
	CHECK(check_join(&thread) == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&cleaned), 1);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
