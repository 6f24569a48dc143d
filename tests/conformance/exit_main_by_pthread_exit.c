/* The main thread leaves by pthread_exit, with waiters and an owner behind it: the rest goes on. */
#include "support/kinds.h"
#include "support/threads.h"

#define THREADS 4
#define ROUNDS	5000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;
static struct check_thread threads[THREADS];
static int turn, main_gone;

static void *take_turns(void *number)
{
	int mine = (int)(intptr_t)number;

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!main_gone)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	for (int i = 0; i < ROUNDS; i++) {
		while (turn % THREADS != mine)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		turn++;
		CHECK_OK(pthread_cond_broadcast(&cond));
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *finish(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_join(main_thread, NULL));
	CHECK_OK(pthread_mutex_lock(&mutex));
	main_gone = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	CHECK_EQ(turn, THREADS * ROUNDS);
	exit(0);
}

int main(void)
{
	static struct check_thread finisher;

	check_begin();
	main_thread = pthread_self();
	for (intptr_t i = 0; i < THREADS; i++)
		check_start(&threads[i], take_turns, (void *)i);
	for (int i = 0; i < THREADS; i++)
		check_await_asleep(&threads[i]);
	check_start(&finisher, finish, NULL);
	pthread_exit(NULL);
}
