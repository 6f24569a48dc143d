/* Every call that meets nobody, many times over, by one thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 100000 };

static void check(int error)
{
	if (error != 0)
		abort();
}

int main(void)
{
	static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				    PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutexattr_t attributes;
	struct timespec due;

	clock_gettime(CLOCK_REALTIME, &due);
	due.tv_sec += 3600;
	for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		pthread_mutex_t mutex;

		check(pthread_mutexattr_init(&attributes));
		check(pthread_mutexattr_settype(&attributes, kinds[kind]));
		check(pthread_mutex_init(&mutex, &attributes));
		for (int i = 0; i < TURNS; i++) {
			check(pthread_mutex_lock(&mutex));
			check(pthread_cond_signal(&cond));
			check(pthread_mutex_unlock(&mutex));
			check(pthread_mutex_trylock(&mutex));
			check(pthread_cond_broadcast(&cond));
			check(pthread_mutex_unlock(&mutex));
			check(pthread_mutex_timedlock(&mutex, &due));
			check(pthread_mutex_unlock(&mutex));
		}
		check(pthread_mutex_destroy(&mutex));
		check(pthread_mutexattr_destroy(&attributes));
	}
	puts("uncontended: done");
	return 0;
}
