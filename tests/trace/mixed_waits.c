/*
 * Contends for a mutex, hands turns over by condition variables, and waits with short time-outs, so
 * that every outcome but an interruption comes up. Plain POSIX threads; for agreement.py, which
 * looks for take_turns among the calling sites: at first all threads sleep there, so that there are
 * such waits and wakes however the threads run later.
 */
#include "support/threads.h"

enum { THREADS = 6, ROUNDS = 120 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static unsigned holder = THREADS; /* nobody */
static unsigned long work;

static struct timespec soon(long ns)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += ns;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

static void *take_turns(void *argument)
{
	unsigned number = *(unsigned *)argument;

	for (int round = 0; round < ROUNDS; round++) {
		struct timespec deadline = soon(100000), nap = {0, 20000};

		pthread_mutex_lock(&mutex);
		while (holder != number)
			pthread_cond_wait(&turn, &mutex);
		holder = (holder + 1) % THREADS;
		pthread_cond_broadcast(&turn);
		if (round % 8 == 0)
			nanosleep(&nap, NULL);
		if (round % 4 == 0)
			pthread_cond_timedwait(&never, &mutex, &deadline);
		work++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	struct check_thread threads[THREADS];
	unsigned numbers[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		check_start(&threads[i], take_turns, &numbers[i]);
		check_await_asleep(&threads[i]);
	}
	pthread_mutex_lock(&mutex);
	holder = 0;
	pthread_cond_broadcast(&turn);
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	return work == (unsigned long)THREADS * ROUNDS ? 0 : 1;
}
