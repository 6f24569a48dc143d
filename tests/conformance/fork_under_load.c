/*
 * Threads lock, time out and wait all the time while another thread forks: whatever state the fork
 * meets, the child can use a mutex that the forking thread holds or that is free, and new threads.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#define THREADS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct check_options options;
static atomic_int stop;
static long plain;

static void *load(void *number)
{
	uint64_t state = options.seed + (uintptr_t)number;

	while (!atomic_load(&stop)) {
		struct timespec soon = check_after_ms(CLOCK_REALTIME, 0);
		unsigned action = check_random(&state) % 4;

		if (action == 0 && pthread_mutex_timedlock(&mutex, &soon))
			continue;
		if (action)
			CHECK_OK(pthread_mutex_lock(&mutex));
		plain++;
		if (action == 1)
			(void)pthread_cond_timedwait(&cond, &mutex, &soon);
		if (action == 2)
			CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < 200; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		plain++;
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void child(void)
{
	struct check_thread threads[2];
	struct timespec past = check_after_ms(CLOCK_REALTIME, -1);

	plain = 0;
	/* glibc's broadcast would wait for ever for the parent's waiters. */
	if (!check_on_ownline())
		CHECK_OK(pthread_cond_init(&cond, NULL));
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < 2; i++)
		check_start(&threads[i], add, NULL);
	for (int i = 0; i < 2; i++)
		check_join(&threads[i]);
	CHECK_EQ(plain, 400);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct check_thread threads[THREADS];
	uint64_t state;

	check_begin();
	options = check_options(argc, argv, 200);
	state = options.seed;
	for (uintptr_t i = 0; i < THREADS; i++)
		check_start(&threads[i], load, (void *)i);
	for (unsigned long i = 0; i < options.rounds; i++) {
		pid_t pid;

		check_jitter(&state, 20000);
		CHECK_OK(pthread_mutex_lock(&mutex));
		pid = check_fork();
		if (pid == 0)
			child();
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_reap(pid);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	return 0;
}
