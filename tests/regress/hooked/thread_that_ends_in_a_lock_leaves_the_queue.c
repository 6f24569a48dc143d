/*
 * A thread ends while it waits for a mutex: it is cancelled asynchronously, or a signal handler
 * calls pthread_exit. POSIX leaves this open, and with glibc nobody notices. Here its parker stayed
 * in the queue, was given to another thread, and the wake that it was given was lost.
 */
#include "support/threads.h"
#include "sys/delay.h"

#define OTHERS 20 /* that use the parker, if it is free */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t others_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct check_thread ending, behind, others[OTHERS];
static _Thread_local int ends_it_when_popped;
static int by_handler;

static void end_it(void)
{
	if (by_handler)
		CHECK_OK(pthread_kill(ending.handle, SIGUSR1));
	else
		CHECK_OK(pthread_cancel(ending.handle));
}

/* Popped, and not yet notified. */
void own_delay(const char *label)
{
	if (!ends_it_when_popped || strcmp(label, "P-notify before") != 0)
		return;
	ends_it_when_popped = 0;
	end_it();
	check_sleep_ms(20);
}

static void leave(int signal_number)
{
	(void)signal_number;
	pthread_exit(PTHREAD_CANCELED);
}

static void *end_in_lock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	CHECK_OK(pthread_mutex_lock(&mutex));
	check_fail(__FILE__, __LINE__, "it should have ended before");
	return NULL;
}

static void *lock_and_unlock(void *argument)
{
	CHECK_OK(pthread_mutex_lock(argument));
	CHECK_OK(pthread_mutex_unlock(argument));
	return NULL;
}

/* `popped_after_ms`: how long it waits until unlock pops it; 0: it ends in the queue. */
static void one_round(long popped_after_ms)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_lock(&others_mutex));
	check_start(&ending, end_in_lock, NULL);
	check_await_asleep(&ending);
	if (popped_after_ms == 0) {
		end_it();
		CHECK(check_join(&ending) == PTHREAD_CANCELED);
		check_start(&behind, lock_and_unlock, &mutex);
		check_await_asleep(&behind);
	} else {
		check_sleep_ms(popped_after_ms);
		check_start(&behind, lock_and_unlock, &mutex);
		check_await_asleep(&behind);
	}
	for (int i = 0; i < OTHERS; i++) {
		check_start(&others[i], lock_and_unlock, &others_mutex);
		check_await_asleep(&others[i]);
	}
	ends_it_when_popped = popped_after_ms > 0;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	ends_it_when_popped = 0;
	if (popped_after_ms > 0)
		CHECK(check_join(&ending) == PTHREAD_CANCELED);
	check_join(&behind);
	CHECK_OK(pthread_mutex_unlock(&others_mutex));
	for (int i = 0; i < OTHERS; i++)
		check_join(&others[i]);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	check_begin();
	CHECK(signal(SIGUSR1, leave) != SIG_ERR);
	for (by_handler = 0; by_handler < 2; by_handler++) {
		for (int round = 0; round < 5; round++)
			one_round(0);
		one_round(1);	/* popped as the designated waiter, or its neighbour is */
		one_round(200); /* handed the mutex */
	}
	return 0;
}
