/* The calls of ownline/mutex.h and ownline/cond.h, alone and with threads. */
#include "support/threads.h"

#include <ownline/ownline.h>

_Static_assert(sizeof(struct ownline_mutex) == 64 && _Alignof(struct ownline_mutex) == 64,
	       "a line");
_Static_assert(sizeof(struct ownline_cond) == 64 && _Alignof(struct ownline_cond) == 64, "a line");

#define THREADS 4
#define ROUNDS	20000

static struct ownline_mutex mutex = OWNLINE_MUTEX_INIT;
static struct ownline_cond cond = OWNLINE_COND_INIT;
static int counter, items, taken;

static void test_one_thread(void)
{
	struct ownline_mutex fresh, copy;
	struct timespec past = check_after_ms(CLOCK_MONOTONIC, -10);
	struct timespec bad = {0, 1000000000};

	memset(&fresh, 0xa5, sizeof(fresh));
	ownline_mutex_init(&fresh);
	copy = fresh;
	CHECK_OK(ownline_mutex_trylock(&fresh));
	CHECK_ERR(ownline_mutex_trylock(&fresh), EBUSY);
	CHECK_ERR(ownline_mutex_destroy(&fresh), EBUSY);
	CHECK_ERR(ownline_mutex_lock_until(&fresh, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	CHECK_ERR(ownline_mutex_lock_until(&fresh, CLOCK_REALTIME, &past), ETIMEDOUT);
	CHECK_ERR(ownline_mutex_lock_until(&fresh, CLOCK_MONOTONIC, &bad), EINVAL);
	CHECK_ERR(ownline_mutex_lock_until(&fresh, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
	CHECK_OK(ownline_mutex_lock_until(&copy, CLOCK_MONOTONIC, &bad));
	ownline_mutex_unlock(&copy);
	ownline_mutex_unlock(&fresh);
	CHECK_OK(ownline_mutex_destroy(&fresh));

	ownline_cond_signal(&cond);
	ownline_cond_broadcast(&cond);
	ownline_mutex_lock(&mutex);
	CHECK_ERR(ownline_cond_wait_until(&cond, &mutex, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	CHECK_ERR(ownline_cond_wait_until(&cond, &mutex, CLOCK_MONOTONIC, &bad), EINVAL);
	CHECK_ERR(ownline_mutex_trylock(&mutex), EBUSY);
	ownline_mutex_unlock(&mutex);
}

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		ownline_mutex_lock(&mutex);
		counter++;
		ownline_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *consume(void *unused)
{
	struct timespec end = check_after_ms(CLOCK_REALTIME, 600000);

	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		ownline_mutex_lock(&mutex);
		while (items == 0) {
			if (i % 2)
				ownline_cond_wait(&cond, &mutex);
			else
				CHECK_OK(
				    ownline_cond_wait_until(&cond, &mutex, CLOCK_REALTIME, &end));
		}
		items--;
		taken++;
		ownline_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		ownline_mutex_lock(&mutex);
		items++;
		ownline_mutex_unlock(&mutex);
		if (i % 64 == 0)
			ownline_cond_broadcast(&cond);
		else
			ownline_cond_signal(&cond);
	}
	return NULL;
}

static void test_threads(void)
{
	struct check_thread threads[2 * THREADS];

	for (int i = 0; i < THREADS; i++)
		check_start(&threads[i], count, NULL);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	CHECK_EQ(counter, THREADS * ROUNDS);

	for (int i = 0; i < THREADS; i++) {
		check_start(&threads[i], consume, NULL);
		check_start(&threads[THREADS + i], produce, NULL);
	}
	for (int i = 0; i < 2 * THREADS; i++)
		check_join(&threads[i]);
	CHECK_EQ(taken, THREADS * ROUNDS);
	CHECK_EQ(items, 0);
}

static void *lock_once(void *unused)
{
	(void)unused;
	ownline_mutex_lock(&mutex);
	ownline_mutex_unlock(&mutex);
	return NULL;
}

/* The child owns what the forking thread held, and forgets the thread that waits for it. */
/* Steps made in place and calls of the library count for the thread together. */
static void test_count(void)
{
	uint32_t before;

	CHECK_OK(ownline_mutex_trylock_slow_(&mutex)); /* with it the thread begins to count */
	ownline_mutex_unlock(&mutex);
	before = ownline_taken_;
	ownline_mutex_lock(&mutex);
	CHECK_EQ(ownline_taken_, before + 1);
	CHECK_EQ(mutex.count_, before + 1);
	ownline_mutex_unlock(&mutex);
	CHECK_OK(ownline_mutex_trylock_slow_(&mutex));
	CHECK_EQ(ownline_taken_, before + 2);
	CHECK_EQ(mutex.count_, before + 2);
	ownline_mutex_unlock(&mutex);
}

static void *count_it(void *unused)
{
	test_count();
	return unused;
}

static void test_fork(void)
{
	struct check_thread waiter;
	pid_t pid;

	ownline_mutex_lock(&mutex);
	check_start(&waiter, lock_once, NULL);
	check_await_asleep(&waiter);
	pid = check_fork();
	if (pid == 0) {
		CHECK_ERR(ownline_mutex_trylock(&mutex), EBUSY);
		ownline_mutex_unlock(&mutex);
		lock_once(NULL);
		ownline_mutex_lock(&mutex);
		CHECK_ERR(ownline_mutex_trylock(&mutex), EBUSY);
		ownline_mutex_unlock(&mutex);
		_exit(0);
	}
	check_reap(pid);
	ownline_mutex_unlock(&mutex);
	check_join(&waiter);
}

int main(void)
{
	struct check_thread counting;

	check_begin();
	test_one_thread();
	test_threads();
	test_one_thread();
	check_start(&counting, count_it, NULL);
	check_join(&counting);
	test_fork();
	ownline_cond_destroy(&cond);
	CHECK_OK(ownline_mutex_destroy(&mutex));
	return 0;
}
