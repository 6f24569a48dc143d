/*
 * Waits end by time-out at about the moment at which the mutex is released. Whoever is left waiting
 * must still be woken: each round ends only when the patient waiter has had the mutex.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static pthread_barrier_t meet;
static unsigned long rounds;

static void *patient(void *unused)
{
	(void)unused;
	for (unsigned long i = 0; i < rounds; i++) {
		pthread_barrier_wait(&meet);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

static void *impatient(void *seed)
{
	uint64_t state = *(uint64_t *)seed;

	for (unsigned long i = 0; i < rounds; i++) {
		struct timespec deadline;
		int error;

		pthread_barrier_wait(&meet);
		deadline = check_now(CLOCK_MONOTONIC);
		deadline.tv_nsec += (long)(check_random(&state) % 120000);
		if (deadline.tv_nsec >= 1000000000) {
			deadline.tv_nsec -= 1000000000;
			deadline.tv_sec++;
		}
		error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline);
		if (error)
			CHECK_ERR(error, ETIMEDOUT);
		else
			CHECK_OK(pthread_mutex_unlock(&mutex));
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct check_options options;
	struct check_thread threads[3];
	uint64_t seeds[2], state;

	check_begin();
	options = check_options(argc, argv, 4000);
	rounds = options.rounds;
	state = options.seed;
	seeds[0] = check_random(&state);
	seeds[1] = check_random(&state);
	CHECK_OK(pthread_mutex_init(&mutex, NULL));
	pthread_barrier_init(&meet, NULL, 4);
	check_start(&threads[0], patient, NULL);
	check_start(&threads[1], impatient, &seeds[0]);
	check_start(&threads[2], impatient, &seeds[1]);
	for (unsigned long i = 0; i < rounds; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		pthread_barrier_wait(&meet);
		check_jitter(&state, 150000);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		pthread_barrier_wait(&meet);
	}
	for (int i = 0; i < 3; i++)
		check_join(&threads[i]);
	CHECK_OK(pthread_mutex_destroy(&mutex));
	return 0;
}
