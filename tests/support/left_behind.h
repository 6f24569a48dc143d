/* Threads for tests of how a process ends: they wait for ever, or go on locking. */
#ifndef TESTS_SUPPORT_LEFT_BEHIND_H
#define TESTS_SUPPORT_LEFT_BEHIND_H

#include "support/threads.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static inline void *wait_for_mutex(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&held);
	return NULL;
}

static inline void *wait_for_cond(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&busy));
	for (;;)
		CHECK_OK(pthread_cond_wait(&cond, &busy));
	return NULL;
}

static inline void *keep_locking(void *unused)
{
	(void)unused;
	for (;;) {
		CHECK_OK(pthread_mutex_lock(&busy));
		CHECK_OK(pthread_mutex_unlock(&busy));
	}
	return NULL;
}

/* One of each of the waiting kind, asleep; the caller holds `held`. */
static inline void start_waiters(struct check_thread *threads)
{
	check_start(&threads[0], wait_for_mutex, NULL);
	check_start(&threads[1], wait_for_cond, NULL);
	check_await_asleep(&threads[0]);
	check_await_asleep(&threads[1]);
}

#endif
