/* Each generation holds a contended mutex, forks, and works with it and with threads of its own. */
#include "support/kinds.h"
#include "support/threads.h"

#define GENERATIONS 5
#define THREADS	    3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, passed;

static void *wait_and_pass(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!ready)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	passed++;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void live(int generation)
{
	struct check_thread waiting[THREADS], locking[THREADS];
	pid_t pid;

	ready = passed = 0;
	for (int i = 0; i < THREADS; i++)
		check_start(&waiting[i], wait_and_pass, NULL);
	for (int i = 0; i < THREADS; i++)
		check_await_asleep(&waiting[i]);
	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int i = 0; i < THREADS; i++)
		check_start(&locking[i], wait_and_pass, NULL);
	for (int i = 0; i < THREADS; i++)
		check_await_asleep(&locking[i]);
	pid = generation < GENERATIONS ? check_fork() : -1;
	if (pid == 0) {
		CHECK_OK(pthread_mutex_unlock(&mutex));
		live(generation + 1);
		_exit(0);
	}
	ready = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < THREADS; i++) {
		check_join(&waiting[i]);
		check_join(&locking[i]);
	}
	CHECK_EQ(passed, 2 * THREADS);
	if (pid > 0)
		check_reap(pid);
}

int main(void)
{
	check_begin();
	live(0);
	return 0;
}
