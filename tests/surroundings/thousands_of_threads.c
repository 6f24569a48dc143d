/* 5 000 threads on a few mutexes and condition variables. */
#include "support/threads.h"

#define THREADS 5000
#define FEW	4
#define ROUNDS	3
#define TURNS	5

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	long count;
	int round, waiting;
} few[FEW];

static void *work(void *number)
{
	int mine = (int)((uintptr_t)number % FEW);

	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < TURNS; i++) {
			int which = (mine + i) % FEW;

			CHECK_OK(pthread_mutex_lock(&few[which].mutex));
			few[which].count++;
			CHECK_OK(pthread_mutex_unlock(&few[which].mutex));
		}
		CHECK_OK(pthread_mutex_lock(&few[mine].mutex));
		few[mine].waiting++;
		while (few[mine].round < round)
			CHECK_OK(pthread_cond_wait(&few[mine].cond, &few[mine].mutex));
		few[mine].waiting--;
		CHECK_OK(pthread_mutex_unlock(&few[mine].mutex));
	}
	return NULL;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attributes;
	long sum = 0;

	check_begin();
	for (int i = 0; i < FEW; i++) {
		CHECK_OK(pthread_mutex_init(&few[i].mutex, NULL));
		CHECK_OK(pthread_cond_init(&few[i].cond, NULL));
	}
	CHECK_OK(pthread_attr_init(&attributes));
	CHECK_OK(pthread_attr_setstacksize(&attributes, 64 * 1024));
	for (uintptr_t i = 0; i < THREADS; i++) {
		int error = pthread_create(&threads[i], &attributes, work, (void *)i);

		if (error == EAGAIN)
			check_skip("no more than %d threads can be had", (int)i);
		CHECK_OK(error);
	}
	for (int round = 1; round <= ROUNDS; round++) {
		/* All wait, on each of the conditions: nobody was lost, so nobody can be missed. */
		for (int i = 0; i < FEW; i++)
			check_await_guarded(&few[i].mutex, &few[i].waiting, THREADS / FEW);
		for (int i = 0; i < FEW; i++) {
			CHECK_OK(pthread_mutex_lock(&few[i].mutex));
			few[i].round = round;
			CHECK_OK(pthread_cond_broadcast(&few[i].cond));
			CHECK_OK(pthread_mutex_unlock(&few[i].mutex));
		}
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_join(threads[i], NULL));
	for (int i = 0; i < FEW; i++) {
		CHECK_EQ(few[i].waiting, 0);
		sum += few[i].count;
	}
	CHECK_EQ(sum, (long)THREADS * ROUNDS * TURNS);
	return 0;
}
