/*
 * The next owner of a robust mutex whose owner died gets EOWNERDEAD by whichever call, and after
 * pthread_mutex_consistent the mutex is a good one again.
 */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int locked;

/* Dies at once, or when the main thread is blocked. */
static void *lock_and_die(void *await_waiter)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&locked, 1);
	while (await_waiter && !check_is_asleep(getpid(), getpid()))
		check_sleep_ms(1);
	return NULL;
}

static int lock_by(int way)
{
	struct timespec real = check_after_ms(CLOCK_REALTIME, 600000);
	struct timespec monotonic = check_after_ms(CLOCK_MONOTONIC, 600000);

	switch (way) {
	case 0:
		return pthread_mutex_lock(&mutex);
	case 1:
		return pthread_mutex_timedlock(&mutex, &real);
	case 2:
		return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic);
	default:
		return pthread_mutex_trylock(&mutex);
	}
}

static void check_death(int way, void *await_waiter)
{
	struct check_thread owner;

	atomic_store(&locked, 0);
	check_start(&owner, lock_and_die, await_waiter);
	if (await_waiter)
		check_await(&locked, 1);
	else
		check_join(&owner);
	CHECK_ERR(lock_by(way), EOWNERDEAD);
	if (await_waiter)
		check_join(&owner);
	CHECK_OK(pthread_mutex_consistent(&mutex));
	CHECK_ERR(pthread_mutex_consistent(&mutex), EINVAL);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(lock_by(way));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		if (!check_kinds[k].robust)
			continue;
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (int way = 0; way < 4; way++) {
			check_death(way, NULL);
			if (way < 3) /* trylock does not wait */
				check_death(way, &mutex);
		}
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
