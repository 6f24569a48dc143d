/* A condition, and threads that wait for it or for its mutex. */
#ifndef TESTS_SUPPORT_READY_H
#define TESTS_SUPPORT_READY_H

#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready; /* guarded by the mutex */

static inline void *wait_for_ready(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static inline void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

#endif
