/*
 * A signal and a time-out at the same instant. One waiter has no time-out, the others wait until
 * about the moment at which the signal comes. Nobody repeats a signal, so one that is lost stops
 * the round, and the watchdog sees it.
 *
 * Plain: a waiter that timed out looks again for the token, as POSIX asks for (a time-out may
 * consume a signal). With --strict it does not look: ownline promises that a wait that took a
 * signal returns 0.
 */
#include "stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMED = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t token_there;
static pthread_cond_t round_over = PTHREAD_COND_INITIALIZER;

/* All guarded by the mutex. */
static unsigned tokens;	       /* put by the signaller, taken by a waiter */
static uint64_t turn;	       /* of the timed waiters */
static unsigned timed_waiting; /* of this turn, in their wait */
static unsigned timed_gone;    /* of this turn, out of it */
static bool patient_waiting;
static bool ended;
static struct timespec deadline;
static uint64_t taken_patient, taken_timed, timed_out;

struct worker {
	pthread_t thread;
	struct stress_random random;
};

static void take_token(uint64_t *taken)
{
	tokens--;
	(*taken)++;
	STRESS_OK(pthread_cond_broadcast(&round_over));
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
			take_token(&taken_patient);
	}
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void wait_timed(struct worker *worker)
{
	struct timespec at = deadline;
	int error = 0;

	at.tv_nsec += stress_below(&worker->random, 4000);
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	while (tokens == 0 && error == 0 && !ended)
		error = pthread_cond_timedwait(&token_there, &mutex, &at);
	if (error != 0 && error != ETIMEDOUT)
		stress_fail("a timed wait returned %d", error);
	timed_out += error == ETIMEDOUT;
	if (tokens != 0 && (error == 0 || !stress.strict))
		take_token(&taken_timed);
}

static void *wait_for_turns(void *argument)
{
	struct worker *worker = argument;
	uint64_t seen = 0;

	STRESS_OK(pthread_mutex_lock(&mutex));
	while (!ended) {
		if (turn == seen) {
			STRESS_OK(pthread_cond_wait(&round_over, &mutex));
			continue;
		}
		seen = turn;
		timed_waiting++;
		wait_timed(worker);
		timed_gone++;
		STRESS_OK(pthread_cond_broadcast(&round_over));
	}
	STRESS_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

/* Holds the mutex; waits without the condition variable under test. */
static void wait_until_in_place(unsigned timed)
{
	while (timed_waiting != timed || !patient_waiting) {
		STRESS_OK(pthread_mutex_unlock(&mutex));
		stress_sleep_ns(1000);
		STRESS_OK(pthread_mutex_lock(&mutex));
	}
}

static void play_round(struct stress_random *random, unsigned timed)
{
	STRESS_OK(pthread_mutex_lock(&mutex));
	int64_t ahead = 20000 + stress_below(random, 120000);
	deadline = stress_deadline(CLOCK_MONOTONIC, ahead);
	uint64_t due = (uint64_t)deadline.tv_sec * 1000000000u + (uint64_t)deadline.tv_nsec;
	timed_waiting = timed_gone = 0;
	turn++;
	STRESS_OK(pthread_cond_broadcast(&round_over));
	if (stress_chance(random, 2))
		wait_until_in_place(timed);
	STRESS_OK(pthread_mutex_unlock(&mutex));

	/* What a waking costs is unknown and differs: aim all around the deadline. */
	int64_t aim = (int64_t)stress_below(random, 80000) - 20000;
	if (stress_chance(random, 2))
		stress_sleep_ns((uint64_t)ahead / 2);
	while ((int64_t)(stress_now(CLOCK_MONOTONIC) - due) < aim)
		;
	bool held = stress_chance(random, 2);
	STRESS_OK(pthread_mutex_lock(&mutex));
	tokens = 1;
	if (!held)
		STRESS_OK(pthread_mutex_unlock(&mutex));
	STRESS_OK(pthread_cond_signal(&token_there));
	if (!held)
		STRESS_OK(pthread_mutex_lock(&mutex));
	while (tokens != 0 || timed_gone != timed)
		STRESS_OK(pthread_cond_wait(&round_over, &mutex));
	STRESS_OK(pthread_mutex_unlock(&mutex));
	stress_round(1);
}

int main(int argc, char **argv)
{
	pthread_condattr_t attributes;
	pthread_t patient;
	char detail[128];

	stress_begin(argc, argv, "cond_race",
		     "A signal races with time-outs: it must reach a waiter all the same.");
	unsigned timed = stress.threads != 0 ? stress.threads : TIMED;
	struct worker *workers = calloc(timed, sizeof(*workers));
	struct stress_random random = stress_random_for(1000000);

	pthread_condattr_init(&attributes);
	STRESS_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
	STRESS_OK(pthread_cond_init(&token_there, &attributes));
	pthread_condattr_destroy(&attributes);
	STRESS_OK(pthread_create(&patient, NULL, wait_patiently, NULL));
	for (unsigned i = 0; i < timed; i++) {
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, wait_for_turns, &workers[i]));
	}
	while (stress_running())
		play_round(&random, timed);

	STRESS_OK(pthread_mutex_lock(&mutex));
	ended = true;
	STRESS_OK(pthread_cond_broadcast(&token_there));
	STRESS_OK(pthread_cond_broadcast(&round_over));
	STRESS_OK(pthread_mutex_unlock(&mutex));
	STRESS_OK(pthread_join(patient, NULL));
	for (unsigned i = 0; i < timed; i++)
		STRESS_OK(pthread_join(workers[i].thread, NULL));
	STRESS_CHECK(taken_patient + taken_timed == stress_rounds());
	free(workers);
	snprintf(detail, sizeof(detail), "tokens taken: %llu patient, %llu timed; %llu time-outs",
		 (unsigned long long)taken_patient, (unsigned long long)taken_timed,
		 (unsigned long long)timed_out);
	stress_end(detail);
}
