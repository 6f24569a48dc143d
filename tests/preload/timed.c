/*
 * Timed condition waits by the clock that the program sees, whoever makes it: none ends early, and
 * each ends. For the test with libfaketime.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_for(clockid_t clock, int64_t ns)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_condattr_t attributes;
	pthread_cond_t cond;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, clock);
	pthread_cond_init(&cond, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_lock(&mutex);

	int64_t due = now(clock) + ns;
	struct timespec at = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
	int error = 0;
	while (error == 0)
		error = pthread_cond_timedwait(&cond, &mutex, &at);
	/* The clock that is shown is derived from another: allow for what that loses. */
	int64_t early = due - now(clock);
	if (error != ETIMEDOUT || early > 1000000) {
		fprintf(stderr, "timed: clock %d: returned %d, %lld ns early\n", (int)clock, error,
			(long long)early);
		exit(1);
	}
	pthread_mutex_unlock(&mutex);
	pthread_cond_destroy(&cond);
	pthread_mutex_destroy(&mutex);
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		wait_for(CLOCK_REALTIME, 100000000);
		wait_for(CLOCK_MONOTONIC, 100000000);
	}
	puts("timed: no wait ended early, and each ended");
	return 0;
}
