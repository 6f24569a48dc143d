/* Every static initialiser makes the kind that it names. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *try_lock(void *mutex)
{
	CHECK_ERR(pthread_mutex_trylock(mutex), EBUSY);
	return NULL;
}

static void check_held(pthread_mutex_t *mutex)
{
	struct check_thread thread;

	check_start(&thread, try_lock, mutex);
	check_join(&thread);
}

int main(void)
{
	struct timespec past = check_after_ms(CLOCK_REALTIME, -1000);

	check_begin();
	CHECK_OK(pthread_mutex_lock(&plain));
	CHECK_ERR(pthread_mutex_timedlock(&plain, &past), ETIMEDOUT);
	check_held(&plain);
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_ERR(pthread_cond_timedwait(&cond, &plain, &past), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&plain));

	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_unlock(&recursive));
	check_held(&recursive);
	CHECK_OK(pthread_mutex_unlock(&recursive));
	CHECK_ERR(pthread_mutex_unlock(&recursive), EPERM);

	CHECK_OK(pthread_mutex_lock(&errorcheck));
	CHECK_ERR(pthread_mutex_lock(&errorcheck), EDEADLK);
	check_held(&errorcheck);
	CHECK_OK(pthread_mutex_unlock(&errorcheck));
	CHECK_ERR(pthread_mutex_unlock(&errorcheck), EPERM);

	CHECK_OK(pthread_mutex_lock(&adaptive));
	CHECK_ERR(pthread_mutex_timedlock(&adaptive, &past), ETIMEDOUT);
	check_held(&adaptive);
	CHECK_OK(pthread_mutex_unlock(&adaptive));
	return 0;
}
