/* calloc'd memory and PTHREAD_COND_INITIALIZER are the same condition variable. */
#include "support/kinds.h"
#include "support/threads.h"

static const pthread_cond_t initialiser = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex;
static pthread_cond_t *cond;
static int ready;

static void *wait_for_ready(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(cond, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	cond = calloc(1, sizeof(*cond));
	CHECK(cond);
	CHECK(memcmp(cond, &initialiser, sizeof(initialiser)) == 0);
	check_start(&thread, wait_for_ready, NULL);
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_lock(&mutex));
	ready = 1;
	CHECK_OK(pthread_cond_signal(cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
	free(cond);
	return 0;
}
