/*
 * Timed waits end at about the moment of the signal. A waiter looks at the predicate after a
 * time-out too, so that whichever of the two it was, every token is taken.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#define CONSUMERS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static struct check_options options;
static int tokens, closed;
static unsigned long timeouts;

static void *consume(void *number)
{
	uint64_t state = options.seed + (uintptr_t)number;

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!closed || tokens) {
		struct timespec deadline = check_now(CLOCK_MONOTONIC);
		int error = 0;

		deadline.tv_nsec += (long)(check_random(&state) % 100000);
		if (deadline.tv_nsec >= 1000000000) {
			deadline.tv_nsec -= 1000000000;
			deadline.tv_sec++;
		}
		if (!tokens && number)
			error = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &deadline);
		else if (!tokens)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		if (error)
			CHECK_ERR(error, ETIMEDOUT);
		timeouts += error == ETIMEDOUT;
		if (tokens) {
			tokens--;
			CHECK_OK(pthread_cond_signal(&taken));
		}
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(int argc, char **argv)
{
	struct check_thread threads[CONSUMERS];
	uint64_t state;

	check_begin();
	options = check_options(argc, argv, 10000);
	state = options.seed;
	for (uintptr_t i = 0; i < CONSUMERS; i++)
		check_start(&threads[i], consume, (void *)i);
	for (unsigned long i = 0; i < options.rounds; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		tokens++;
		CHECK_OK(pthread_cond_signal(&cond));
		while (tokens)
			CHECK_OK(pthread_cond_wait(&taken, &mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_jitter(&state, 60000);
	}
	CHECK_OK(pthread_mutex_lock(&mutex));
	closed = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < CONSUMERS; i++)
		check_join(&threads[i]);
	printf("%lu time-outs\n", timeouts);
	CHECK_EQ(tokens, 0);
	return 0;
}
