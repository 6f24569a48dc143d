/*
 * pthread_atfork handlers take the program's locks before the fork and release them after it, in
 * parent and child, while other threads contend for them: the way allocators do it.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define LOCKS	3
#define THREADS 3

static pthread_mutex_t locks[LOCKS];
static atomic_int stop;

static void prepare(void)
{
	for (int i = 0; i < LOCKS; i++)
		CHECK_OK(pthread_mutex_lock(&locks[i]));
}

static void release(void)
{
	for (int i = LOCKS; i-- > 0;)
		CHECK_OK(pthread_mutex_unlock(&locks[i]));
}

static void *contend(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop))
		for (int i = 0; i < LOCKS; i++) {
			CHECK_OK(pthread_mutex_lock(&locks[i]));
			CHECK_OK(pthread_mutex_unlock(&locks[i]));
		}
	return NULL;
}

static void child(void)
{
	struct check_thread threads[THREADS];

	atomic_store(&stop, 0);
	for (int i = 0; i < THREADS; i++)
		check_start(&threads[i], contend, NULL);
	for (int i = 0; i < 100; i++) {
		prepare();
		release();
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	_exit(0);
}

int main(void)
{
	struct check_thread threads[THREADS];

	check_begin();
	check_type_init(&locks[0], PTHREAD_MUTEX_NORMAL);
	check_type_init(&locks[1], PTHREAD_MUTEX_ADAPTIVE_NP);
	check_type_init(&locks[2], PTHREAD_MUTEX_NORMAL);
	CHECK_OK(pthread_atfork(prepare, release, release));
	for (int i = 0; i < THREADS; i++)
		check_start(&threads[i], contend, NULL);
	for (int i = 0; i < 100; i++) {
		pid_t pid = check_fork();

		if (pid == 0)
			child();
		check_reap(pid);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	return 0;
}
