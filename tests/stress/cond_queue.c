/*
 * Producers and consumers around one small queue, with every legal way to wait and to wake: signal
 * and broadcast, with the mutex held and released, waits without end and with time-outs down to
 * none. Each item must come out once, and one producer's items in order.
 *
 * A lost wakeup stops the queue, and the watchdog sees it, when nobody else helps: so some threads
 * never use a time-out, from time to time none does, and in some runs there is one of each only,
 * or room for one item only.
 */
#include "stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4 };

struct item {
	unsigned producer;
	uint32_t number;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER; /* CLOCK_REALTIME */
static pthread_cond_t not_full;				    /* CLOCK_MONOTONIC */
static struct item queue[MOST];
static unsigned capacity;
static unsigned first, filled;
static unsigned producers_left;
static uint32_t *last_seen; /* per producer; guarded by the mutex */
static uint64_t timeouts;   /* guarded by the mutex */

struct worker {
	pthread_t thread;
	unsigned number;
	struct stress_random random;
};

/* Bursts of some 30 ms in which nobody may use a time-out. */
static bool may_time_out(const struct worker *worker)
{
	return worker->number % 2 == 1 && stress_now(CLOCK_MONOTONIC) / 33000000 % 2 == 0;
}

static void wait_somehow(struct worker *worker, pthread_cond_t *cond, clockid_t clock)
{
	if (!may_time_out(worker)) {
		STRESS_OK(pthread_cond_wait(cond, &mutex));
		return;
	}
	bool by_clock = stress_chance(&worker->random, 3);
	clockid_t used = by_clock && stress_chance(&worker->random, 2) ? CLOCK_MONOTONIC : clock;
	int64_t offset = (int64_t)stress_below(&worker->random, 60000) - 5000;
	struct timespec at = stress_deadline(used, offset);
	int error = by_clock ? pthread_cond_clockwait(cond, &mutex, used, &at)
			     : pthread_cond_timedwait(cond, &mutex, &at);
	if (error == ETIMEDOUT) {
		uint64_t due = (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
		if (used == CLOCK_MONOTONIC && stress_now(used) < due)
			stress_fail("a timed wait ended before its deadline");
		timeouts++;
	} else if (error != 0) {
		stress_fail("a timed wait returned %d", error);
	}
}

/* Unlocks, and wakes before or after that. */
static void unlock_and_wake(struct worker *worker, pthread_cond_t *cond)
{
	bool all = stress_chance(&worker->random, 5);
	bool held = stress_chance(&worker->random, 2);

	if (!held)
		STRESS_OK(pthread_mutex_unlock(&mutex));
	STRESS_OK(all ? pthread_cond_broadcast(cond) : pthread_cond_signal(cond));
	if (held)
		STRESS_OK(pthread_mutex_unlock(&mutex));
}

static void put(struct worker *worker, uint32_t number)
{
	STRESS_OK(pthread_mutex_lock(&mutex));
	while (filled == capacity)
		wait_somehow(worker, &not_full, CLOCK_MONOTONIC);
	queue[(first + filled) % capacity] =
	    (struct item){.producer = worker->number, .number = number};
	filled++;
	unlock_and_wake(worker, &not_empty);
}

static void *produce(void *argument)
{
	struct worker *worker = argument;

	for (uint32_t number = 1; stress_running(); number++) {
		put(worker, number);
		if (stress_chance(&worker->random, 64))
			stress_sleep_ns(stress_below(&worker->random, 50000));
	}
	STRESS_OK(pthread_mutex_lock(&mutex));
	producers_left--;
	STRESS_OK(pthread_cond_broadcast(&not_empty));
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *consume(void *argument)
{
	struct worker *worker = argument;

	for (;;) {
		STRESS_OK(pthread_mutex_lock(&mutex));
		while (filled == 0 && producers_left != 0)
			wait_somehow(worker, &not_empty, CLOCK_REALTIME);
		if (filled == 0)
			break;
		struct item item = queue[first];
		first = (first + 1) % capacity;
		filled--;
		if (item.number != last_seen[item.producer] + 1)
			stress_fail("producer %u: item %u after item %u", item.producer,
				    item.number, last_seen[item.producer]);
		last_seen[item.producer] = item.number;
		unlock_and_wake(worker, &not_full);
		stress_round(1);
		if (stress_chance(&worker->random, 64))
			stress_sleep_ns(stress_below(&worker->random, 50000));
	}
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_condattr_t attributes;
	char detail[64];

	stress_begin(argc, argv, "cond_queue",
		     "A small queue between producers and consumers; no item may be lost.");
	unsigned each =
	    stress.threads != 0 ? (stress.threads + 1) / 2 : 1 + (unsigned)(stress.seed % MOST);
	capacity = 1 + (unsigned)(stress.seed / MOST % MOST);
	struct worker *workers = calloc(2 * each, sizeof(*workers));
	last_seen = calloc(each, sizeof(*last_seen));
	producers_left = each;

	pthread_condattr_init(&attributes);
	STRESS_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
	STRESS_OK(pthread_cond_init(&not_full, &attributes));
	pthread_condattr_destroy(&attributes);

	for (unsigned i = 0; i < 2 * each; i++) {
		workers[i].number = i % each;
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, i < each ? produce : consume,
					 &workers[i]));
	}
	for (unsigned i = 0; i < 2 * each; i++)
		STRESS_OK(pthread_join(workers[i].thread, NULL));
	STRESS_OK(pthread_cond_destroy(&not_full));
	STRESS_OK(pthread_cond_destroy(&not_empty));
	STRESS_OK(pthread_mutex_destroy(&mutex));
	snprintf(detail, sizeof(detail), "%llu time-outs", (unsigned long long)timeouts);
	free(workers);
	free(last_seen);
	stress_end(detail);
}
