/*
 * quota_work SECONDS [THREADS]: threads lock one mutex around a little work, and pass a token on by
 * a condition variable now and then. Prints how often the mutex was locked in a second. Status 1:
 * the count is wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 64

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long count, tokens;
static atomic_int over;
static long counts[MOST];

static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void *run(void *argument)
{
	long *mine = argument;

	while (!atomic_load(&over)) {
		pthread_mutex_lock(&mutex);
		count++;
		work(50);
		if (++*mine % 64 == 0) {
			if (tokens > 0) {
				tokens--;
			} else {
				tokens++;
				pthread_cond_signal(&cond);
			}
		}
		pthread_mutex_unlock(&mutex);
		work(200);
	}
	return NULL;
}

static void *take_tokens(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!atomic_load(&over)) {
		while (tokens == 0 && !atomic_load(&over))
			pthread_cond_wait(&cond, &mutex);
		tokens = 0;
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;
	int threads = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t handles[MOST], taker;
	struct timespec rest = {.tv_sec = (time_t)seconds,
				.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
	long sum = 0;

	if (seconds <= 0 || threads < 1 || threads > MOST) {
		fputs("usage: quota_work SECONDS [THREADS up to 64]\n", stderr);
		return 2;
	}
	pthread_create(&taker, NULL, take_tokens, NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&handles[i], NULL, run, &counts[i]);
	nanosleep(&rest, NULL);
	atomic_store(&over, 1);
	for (int i = 0; i < threads; i++) {
		pthread_join(handles[i], NULL);
		sum += counts[i];
	}
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(taker, NULL);
	printf("%.0f\n", (double)sum / seconds);
	return sum == count ? 0 : 1;
}
