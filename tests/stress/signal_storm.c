/*
 * Signals hit threads that hold, contend for and wait on mutexes and condition variables; the
 * handlers lock mutexes of their own, and interrupt each other. No call may return EINTR, lose a
 * wakeup, or change errno.
 */
#include "stress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 6, SENDERS = 2, HALLS = 2, SIGNALS = 2 };

struct worker {
	pthread_t thread;
	unsigned number;
	struct stress_random random;
	uint64_t counted[HALLS];
};

static pthread_mutex_t mutexes[HALLS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t conds[HALLS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static uint64_t counts[HALLS];
static unsigned turn[HALLS];

/*
 * One mutex per signal: a handler's own signal is blocked while it runs, so no thread locks its
 * mutex twice. The first signal's handler may be interrupted by the second's, not the other way
 * round: so the mutexes have an order. A waiter counts as an owner here, since the mutex may be
 * handed to it while a handler runs in its thread.
 */
static const int signals[SIGNALS] = {SIGUSR1, SIGUSR2};
static pthread_mutex_t handler_mutexes[SIGNALS] = {PTHREAD_MUTEX_INITIALIZER,
						   PTHREAD_MUTEX_INITIALIZER};
static uint64_t handled[SIGNALS]; /* guarded by the handler's mutex */
static _Atomic uint64_t handled_in_all;
static _Atomic bool over;

static void handle(int number)
{
	int saved = errno;
	unsigned which = number == signals[1];

	STRESS_OK(pthread_mutex_lock(&handler_mutexes[which]));
	handled[which]++;
	stress_work(100);
	STRESS_OK(pthread_mutex_unlock(&handler_mutexes[which]));
	atomic_fetch_add_explicit(&handled_in_all, 1, memory_order_relaxed);
	STRESS_CHECK(errno == saved);
}

static void lock_somehow(struct worker *worker, pthread_mutex_t *mutex)
{
	int error = ETIMEDOUT;

	while (error == ETIMEDOUT) {
		if (stress_chance(&worker->random, 3)) {
			struct timespec at =
			    stress_deadline(CLOCK_REALTIME, stress_below(&worker->random, 200000));
			error = pthread_mutex_timedlock(mutex, &at);
		} else {
			error = pthread_mutex_lock(mutex);
		}
	}
	if (error != 0)
		stress_fail("a lock call returned %d", error);
}

/* The threads of a hall take turns in pairs: even ones wake odd ones, and the other way round. */
static void take_turn(struct worker *worker, unsigned hall)
{
	unsigned me = worker->number / HALLS % 2;
	int error = 0;

	while (turn[hall] % 2 != me && !atomic_load(&over)) {
		if (stress_chance(&worker->random, 2)) {
			error = pthread_cond_wait(&conds[hall], &mutexes[hall]);
			STRESS_CHECK(error == 0);
			continue;
		}
		struct timespec at =
		    stress_deadline(CLOCK_REALTIME, stress_below(&worker->random, 1000000));
		error = pthread_cond_timedwait(&conds[hall], &mutexes[hall], &at);
		if (error != 0 && error != ETIMEDOUT)
			stress_fail("a timed wait returned %d", error);
	}
	turn[hall]++;
	STRESS_OK(pthread_cond_broadcast(&conds[hall]));
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	unsigned hall = worker->number % HALLS;

	while (!atomic_load(&over)) {
		lock_somehow(worker, &mutexes[hall]);
		counts[hall]++;
		worker->counted[hall]++;
		stress_work(stress_below(&worker->random, 300));
		if (stress_chance(&worker->random, 8))
			take_turn(worker, hall);
		STRESS_OK(pthread_mutex_unlock(&mutexes[hall]));
		stress_round(1);
	}
	return NULL;
}

struct sender {
	pthread_t thread;
	struct stress_random random;
	const struct worker *workers;
	unsigned count;
};

static void *send_signals(void *argument)
{
	struct sender *sender = argument;

	while (stress_running()) {
		unsigned which = stress_below(&sender->random, sender->count);
		pthread_kill(sender->workers[which].thread,
			     signals[stress_below(&sender->random, SIGNALS)]);
		stress_sleep_ns(stress_below(&sender->random, 30000));
	}
	return NULL;
}

static void set_handlers(void)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		struct sigaction action = {.sa_handler = handle};
		sigemptyset(&action.sa_mask);
		if (i == 1)
			sigaddset(&action.sa_mask, signals[0]);
		action.sa_flags = i == 0 ? SA_RESTART : 0;
		if (sigaction(signals[i], &action, NULL) != 0)
			stress_fail("sigaction");
	}
}

int main(int argc, char **argv)
{
	struct sender senders[SENDERS];
	char detail[64];

	stress_begin(argc, argv, "signal_storm",
		     "Signal handlers lock mutexes while their threads do so or wait.");
	unsigned threads = stress.threads >= 2 * HALLS ? stress.threads : THREADS;
	struct worker *workers = calloc(threads, sizeof(*workers));

	set_handlers();
	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (unsigned i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){
		    .random = stress_random_for(1000 + i), .workers = workers, .count = threads};
		STRESS_OK(pthread_create(&senders[i].thread, NULL, send_signals, &senders[i]));
	}
	for (unsigned i = 0; i < SENDERS; i++)
		STRESS_OK(pthread_join(senders[i].thread, NULL));
	for (unsigned i = 0; i < HALLS; i++) {
		STRESS_OK(pthread_mutex_lock(&mutexes[i]));
		atomic_store(&over, true);
		STRESS_OK(pthread_cond_broadcast(&conds[i]));
		STRESS_OK(pthread_mutex_unlock(&mutexes[i]));
	}
	uint64_t sums[HALLS] = {0};
	for (unsigned i = 0; i < threads; i++) {
		STRESS_OK(pthread_join(workers[i].thread, NULL));
		for (unsigned j = 0; j < HALLS; j++)
			sums[j] += workers[i].counted[j];
	}
	for (unsigned j = 0; j < HALLS; j++)
		STRESS_CHECK(sums[j] == counts[j]);
	STRESS_CHECK(handled[0] + handled[1] == atomic_load(&handled_in_all));
	STRESS_CHECK(handled[0] != 0 && handled[1] != 0);
	free(workers);
	snprintf(detail, sizeof(detail), "%llu signals handled",
		 (unsigned long long)handled_in_all);
	stress_end(detail);
}
