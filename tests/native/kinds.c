/* What ownline/pthread.h refuses, and locks that other files use by plain pthread calls. */
#include <ownline/pthread.h>

#include "support/threads.h"

/* As another source file, without the header, calls them: by_plain_calls.c. */
int plain_lock(void *mutex);
int plain_unlock(void *mutex);

static void test_refusals(void)
{
	pthread_mutexattr_t attributes;
	pthread_condattr_t cond_attributes;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int ceiling;

	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_OK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
	CHECK_ERR(pthread_mutex_init(&mutex, &attributes), ENOTSUP);
	CHECK_OK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE));
	CHECK_OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
	CHECK_ERR(pthread_mutex_init(&mutex, &attributes), ENOTSUP);
	CHECK_OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED));
	CHECK_OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
	CHECK_ERR(pthread_mutex_init(&mutex, &attributes), ENOTSUP);
	CHECK_OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE));
	CHECK_OK(pthread_mutex_init(&mutex, &attributes));
	CHECK_ERR(pthread_mutex_consistent(&mutex), EINVAL);
	CHECK_ERR(pthread_mutex_getprioceiling(&mutex, &ceiling), EINVAL);
	CHECK_ERR(pthread_mutex_setprioceiling(&mutex, 1, &ceiling), EINVAL);
	CHECK_OK(pthread_mutex_destroy(&mutex));
	CHECK_OK(pthread_condattr_init(&cond_attributes));
	CHECK_OK(pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED));
	CHECK_ERR(pthread_cond_init(&cond, &cond_attributes), ENOTSUP);
}

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long counter;

static void *here(void *mutex)
{
	for (int i = 0; i < 20000; i++) {
		CHECK_OK(ownline_pthread_mutex_lock_(mutex));
		counter++;
		CHECK_OK(ownline_pthread_mutex_unlock_(mutex));
	}
	return NULL;
}

static void *elsewhere(void *mutex)
{
	for (int i = 0; i < 20000; i++) {
		CHECK_OK(plain_lock(mutex));
		counter++;
		CHECK_OK(plain_unlock(mutex));
	}
	return NULL;
}

static void test_with_plain_calls(pthread_mutex_t *mutex)
{
	struct check_thread threads[4];

	counter = 0;
	for (int i = 0; i < 4; i++)
		check_start(&threads[i], i % 2 ? here : elsewhere, mutex);
	for (int i = 0; i < 4; i++)
		check_join(&threads[i]);
	CHECK_EQ(counter, 80000);
}

static pthread_mutex_t reused;

static void *try(void *unused)
{
	(void)unused;
	CHECK_ERR(pthread_mutex_trylock(&reused), EBUSY);
	return NULL;
}

static void init(int type)
{
	pthread_mutexattr_t attributes;

	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_OK(pthread_mutexattr_settype(&attributes, type));
	CHECK_OK(pthread_mutex_init(&reused, &attributes));
}

static void *init_recursive(void *unused)
{
	(void)unused;
	init(PTHREAD_MUTEX_RECURSIVE);
	return NULL;
}

/* Locked by a plain call and unlocked in place: the next mutex there is known to be another. */
static void test_one_kind_after_another(void)
{
	struct check_thread thread;

	init(PTHREAD_MUTEX_NORMAL);
	CHECK_OK(plain_lock(&reused));
	CHECK_OK(pthread_mutex_unlock(&reused));
	CHECK_OK(pthread_mutex_destroy(&reused));
	CHECK_ERR(plain_unlock(&reused), EINVAL);
	init(PTHREAD_MUTEX_NORMAL);
	CHECK_OK(plain_lock(&reused));
	CHECK_OK(pthread_mutex_unlock(&reused));
	init(PTHREAD_MUTEX_ERRORCHECK);
	CHECK_ERR(plain_unlock(&reused), EPERM);

	init(PTHREAD_MUTEX_NORMAL);
	CHECK_OK(plain_lock(&reused));
	CHECK_OK(pthread_mutex_unlock(&reused));
	check_start(&thread, init_recursive, NULL);
	check_join(&thread);
	CHECK_OK(pthread_mutex_lock(&reused));
	CHECK_OK(pthread_mutex_lock(&reused));
	CHECK_OK(plain_unlock(&reused));
	check_start(&thread, try, NULL);
	check_join(&thread);
	CHECK_OK(plain_unlock(&reused));
	CHECK_ERR(plain_unlock(&reused), EPERM);
}

int main(void)
{
	check_deadline(CHECK_DEADLINE_SECONDS);
	CHECK_EQ(sizeof(pthread_mutex_t), 64);
	test_refusals();
	test_with_plain_calls(&normal);
	test_with_plain_calls(&recursive);
	test_one_kind_after_another();
	return 0;
}
