/*
 * A waiter that queues after unlock has read the clock is younger than that reading. Its age was
 * then taken as huge, and it was handed the mutex at once. Nobody waits for a second here, so with
 * handoff_us=1000000 there is nothing to hand over. A round in which somebody did, or in which the
 * first waiter's time was up before unlock was called, on a machine that stood still, says nothing.
 */
#include "support/threads.h"
#include "sys/delay.h"

#include <ownline/stats.h>

#define ROUNDS                                                                                     \
	24 /* each meets the time for a hand-over, coarse as it is kept, about half the time */

static pthread_mutex_t mutex;
static _Thread_local int unlocks_slowly;
static atomic_int second_goes;
static struct timespec first_ends;
static struct check_thread first, second;

/* Unlock has read the clock. Its waiter gives up, and another takes that one's place. */
void own_delay(const char *label)
{
	if (unlocks_slowly && strcmp(label, "M-unlock before") == 0) {
		unlocks_slowly = 0;
		check_join(&first);
		atomic_store(&second_goes, 1);
		check_await_asleep(&second);
	}
}

static void *lock_first(void *unused)
{
	(void)unused;
	CHECK_EQ(pthread_mutex_timedlock(&mutex, &first_ends), ETIMEDOUT);
	return NULL;
}

static void *lock_second(void *unused)
{
	(void)unused;
	while (!atomic_load(&second_goes))
		sched_yield(); /* check_await_asleep must not take this for the wait */
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

/* Its time may be up before it was seen asleep, or before it ran at all. */
static void await_asleep_or_ended(struct check_thread *thread)
{
	while (!atomic_load(&thread->ended) &&
	       !(atomic_load(&thread->tid) && check_is_asleep(getpid(), atomic_load(&thread->tid))))
		check_sleep_ms(1);
}

static void one_round(int round)
{
	struct timespec rest = {0, 2000000 + round * 700000};
	int gave_up_early;

	CHECK_OK(pthread_mutex_init(&mutex, NULL));
	atomic_store(&second_goes, 0);
	CHECK_OK(pthread_mutex_lock(&mutex));
	first_ends = check_after_ms(CLOCK_REALTIME, 60);
	check_start(&first, lock_first, NULL);
	check_start(&second, lock_second, NULL);
	await_asleep_or_ended(&first);
	nanosleep(&rest, NULL);
	unlocks_slowly = 1;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	gave_up_early = unlocks_slowly;
	unlocks_slowly = 0;
	if (gave_up_early) {
		check_join(&first);
		atomic_store(&second_goes, 1);
	}
	check_join(&second);
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	for (int round = 0; round < ROUNDS; round++) {
		struct timespec late = check_after_ms(CLOCK_MONOTONIC, 900);
		struct ownline_stats stats;

		ownline_stats_reset();
		one_round(round);
		ownline_stats_read(&stats);
		if (!check_is_past(CLOCK_MONOTONIC, &late))
			CHECK_EQ(stats.handoffs, 0);
	}
	return 0;
}
