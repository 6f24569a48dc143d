/*
 * A program that is built with a sanitizer of its own; it knows plain POSIX threads only.
 *
 *	program work     mutexes and condition variables, used rightly: no sanitizer may complain
 *	program cancel   cancels a thread in a condition wait; its clean-up handler unlocks
 *	program signal   a handler runs in a thread that waits for a mutex
 *	program fault    a data race, or with AddressSanitizer a read past a block: must be found
 *
 * Status 0: all was right (`fault`: was not noticed).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define ROUNDS	2000

#define CHECK(condition)                                                                           \
	((condition)                                                                               \
	     ? (void)0                                                                             \
	     : (fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition), exit(1)))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned turn;
static unsigned long total;
static _Atomic int handled;
static _Atomic int waiting;

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* Each in its turn; now and then with a deadline that passes. */
static void *take_turns(void *mine)
{
	unsigned me = (unsigned)(size_t)mine;

	for (unsigned round = 0; round < ROUNDS; round++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		while (turn % THREADS != me) {
			struct timespec soon;
			int error = 0;

			clock_gettime(CLOCK_REALTIME, &soon);
			soon.tv_nsec = (soon.tv_nsec + 100000) % 1000000000;
			if (round % 16 == 0)
				error = pthread_cond_timedwait(&cond, &mutex, &soon);
			else
				error = pthread_cond_wait(&cond, &mutex);
			CHECK(error == 0 || error == ETIMEDOUT);
		}
		total++;
		turn++;
		pthread_cond_broadcast(&cond);
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

/* Rounds without order, for the queue of the mutex. */
static void *take_any(void *unused)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		total++;
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return unused;
}

static void run_threads(void *(*body)(void *))
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, body, (void *)i) == 0);
	for (size_t i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Can have the mutex neither at once nor later: certain contention, however the threads run. */
static void *give_up(void *unused)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += (soon.tv_nsec + 1000000) / 1000000000;
	soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
	CHECK(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
	return unused;
}

static void work(void)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	run_threads(give_up);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	run_threads(take_any);
	run_threads(take_turns);
	CHECK(total == 2ul * THREADS * ROUNDS);
}

static void unlock(void *unused)
{
	(void)unused;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *wait_for_ever(void *unused)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	pthread_cleanup_push(unlock, NULL);
	atomic_store(&waiting, 1);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static void cancel(void)
{
	for (unsigned round = 0; round < 20; round++) {
		pthread_t thread;
		void *result;

		atomic_store(&waiting, 0);
		CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
		while (!atomic_load(&waiting))
			sleep_ms(1);
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0);
		CHECK(result == PTHREAD_CANCELED);
		CHECK(pthread_mutex_trylock(&mutex) == 0);
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
}

static void handle(int number)
{
	atomic_store(&handled, number);
}

static void *wait_for_mutex(void *unused)
{
	atomic_store(&waiting, 1);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

static void interrupt(void)
{
	struct sigaction action;
	pthread_t thread;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_create(&thread, NULL, wait_for_mutex, NULL) == 0);
	while (!atomic_load(&waiting))
		sleep_ms(1);
	sleep_ms(50);
	CHECK(pthread_kill(thread, SIGUSR1) == 0);
	for (int i = 0; i < 3000 && !atomic_load(&handled); i++)
		sleep_ms(1);
	CHECK(atomic_load(&handled)); /* while the mutex is still held */
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void *race(void *unused)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		*(volatile unsigned long *)&total += 1;
		CHECK(pthread_mutex_lock(&mutex) == 0);
		turn++;
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return unused;
}

static void fault(void)
{
	volatile char *block = malloc(8);
	volatile size_t past = 8;

	run_threads(race);
	CHECK(block[past] != 1); /* seldom is; AddressSanitizer ends the program here */
	free((void *)block);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (strcmp(what, "work") == 0)
		work();
	else if (strcmp(what, "cancel") == 0)
		cancel();
	else if (strcmp(what, "signal") == 0)
		interrupt();
	else if (strcmp(what, "fault") == 0)
		fault();
	else {
		fprintf(stderr, "usage: %s work|cancel|signal|fault\n", argv[0]);
		return 2;
	}
	return 0;
}
