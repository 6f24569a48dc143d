/*
 * Cancellation of a condition wait racing with a signal: the cancelled thread must own the mutex
 * in its cleanup handler, and must not eat the signal while another thread waits.
 *
 * Each round two threads wait; one is cancelled at about the moment at which the one signal for
 * one token comes. A cancelled thread takes no token. If it did return from its wait, it takes the
 * token and the round puts a second one for the other waiter.
 */
#include "stress.h"

#include <errno.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static pthread_cond_t token_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t taken = PTHREAD_COND_INITIALIZER;

/* All guarded by the mutex. */
static unsigned tokens;
static bool victim_waiting;
static bool patient_waiting;
static bool ended;
static bool by_time; /* the victim uses a timed wait with a far deadline */
static uint64_t cleaned;

static void take_token(void)
{
	tokens--;
	STRESS_OK(pthread_cond_broadcast(&taken));
}

static void *wait_patiently(void *unused)
{
	(void)unused;
	STRESS_OK(pthread_mutex_lock(&mutex));
	while (!ended) {
		while (tokens == 0 && !ended) {
			patient_waiting = true;
			STRESS_OK(pthread_cond_wait(&token_there, &mutex));
		}
		patient_waiting = false;
		if (tokens != 0)
			take_token();
	}
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

/* The mutex checks for errors: an unlock by a thread that does not own it fails. */
static void clean_up(void *unused)
{
	(void)unused;
	cleaned++;
	STRESS_OK(pthread_mutex_unlock(&mutex));
}

static void *wait_as_victim(void *unused)
{
	struct timespec far_away = stress_deadline(CLOCK_REALTIME, INT64_C(3600000000000));

	STRESS_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(clean_up, unused);
	while (tokens == 0) {
		victim_waiting = true;
		STRESS_OK(by_time ? pthread_cond_timedwait(&token_there, &mutex, &far_away)
				  : pthread_cond_wait(&token_there, &mutex));
	}
	take_token();
	pthread_cleanup_pop(0);
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void wait_until_in_place(void)
{
	STRESS_OK(pthread_mutex_lock(&mutex));
	while (!victim_waiting || !patient_waiting) {
		STRESS_OK(pthread_mutex_unlock(&mutex));
		stress_sleep_ns(1000);
		STRESS_OK(pthread_mutex_lock(&mutex));
	}
	STRESS_OK(pthread_mutex_unlock(&mutex));
}

static void put_token(bool held)
{
	STRESS_OK(pthread_mutex_lock(&mutex));
	tokens = 1;
	if (!held)
		STRESS_OK(pthread_mutex_unlock(&mutex));
	STRESS_OK(pthread_cond_signal(&token_there));
	if (held)
		STRESS_OK(pthread_mutex_unlock(&mutex));
}

static void wait_until_taken(void)
{
	STRESS_OK(pthread_mutex_lock(&mutex));
	while (tokens != 0)
		STRESS_OK(pthread_cond_wait(&taken, &mutex));
	STRESS_OK(pthread_mutex_unlock(&mutex));
}

static void *cancel(void *argument)
{
	pthread_cancel(*(pthread_t *)argument);
	return NULL;
}

/* Returns true if the victim was cancelled. */
static bool play_round(struct stress_random *random)
{
	pthread_t victim, canceller;
	void *result;

	victim_waiting = false; /* no other thread looks at it between rounds */
	by_time = stress_chance(random, 2);
	STRESS_OK(pthread_create(&victim, NULL, wait_as_victim, NULL));
	if (!stress_chance(random, 8))
		wait_until_in_place();

	bool held = stress_chance(random, 2);
	unsigned pause = stress_below(random, 40000);
	switch (stress_below(random, 3)) {
	case 0:
		pthread_cancel(victim);
		stress_work(pause / 16);
		put_token(held);
		break;
	case 1:
		put_token(held);
		stress_work(pause / 16);
		pthread_cancel(victim);
		break;
	default:
		STRESS_OK(pthread_create(&canceller, NULL, cancel, &victim));
		stress_work(pause);
		put_token(held);
		STRESS_OK(pthread_join(canceller, NULL));
	}
	STRESS_OK(pthread_join(victim, &result));
	wait_until_taken(); /* by whoever was not cancelled */
	if (result != PTHREAD_CANCELED) {
		put_token(true);
		wait_until_taken();
	}
	stress_round(1);
	return result == PTHREAD_CANCELED;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attributes;
	pthread_t patient;
	uint64_t cancelled = 0;
	char detail[96];

	stress_begin(argc, argv, "cond_cancel",
		     "A wait is cancelled while a signal comes: the other waiter must get it.");
	struct stress_random random = stress_random_for(0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	STRESS_OK(pthread_mutex_init(&mutex, &attributes));
	pthread_mutexattr_destroy(&attributes);
	STRESS_OK(pthread_create(&patient, NULL, wait_patiently, NULL));
	while (stress_running())
		cancelled += play_round(&random);

	STRESS_OK(pthread_mutex_lock(&mutex));
	ended = true;
	STRESS_OK(pthread_cond_broadcast(&token_there));
	STRESS_OK(pthread_mutex_unlock(&mutex));
	STRESS_OK(pthread_join(patient, NULL));
	STRESS_OK(pthread_cond_destroy(&token_there));
	STRESS_OK(pthread_mutex_destroy(&mutex));
	snprintf(detail, sizeof(detail), "%llu cancelled, %llu cleanup handlers ran",
		 (unsigned long long)cancelled, (unsigned long long)cleaned);
	if (cleaned > cancelled)
		stress_fail("%s", detail);
	stress_end(detail);
}
