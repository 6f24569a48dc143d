/*
 * A signal goes to the waiter of the highest real-time priority, whoever came first. Each round
 * signals once and lets the waiter that was woken finish before the next signal.
 */
#include "support/threads.h"

#include <sched.h>

#define WAITERS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static const int priorities[WAITERS] = {0, 10, 20, 0}; /* in the order in which they come */
static int tokens, order[WAITERS];
static atomic_int finished;

static void *wait_for_token(void *argument)
{
	const int *priority = argument;
	struct sched_param parameters = {.sched_priority = *priority};
	int error = *priority ? pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) : 0;

	if (error == EPERM)
		check_skip("no right to SCHED_FIFO");
	CHECK_OK(error);
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (tokens == 0)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	tokens--;
	order[atomic_fetch_add(&finished, 1)] = *priority;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[WAITERS];

	check_begin();
	for (int i = 0; i < WAITERS; i++) {
		check_start(&threads[i], wait_for_token, (void *)&priorities[i]);
		check_await_asleep(&threads[i]);
	}
	for (int i = 0; i < WAITERS; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		tokens++;
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_await(&finished, i + 1);
	}
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	CHECK_EQ(order[0], 20);
	CHECK_EQ(order[1], 10);
	return 0;
}
