/*
 * One CPU: an owner of real-time priority unlocks and goes on computing. The waiter of higher
 * priority must get the mutex meanwhile. A waiter without priority that came first used to be the
 * one that was woken, and could not run.
 */
#include "support/threads.h"

#include <sched.h>

/* Of the owner's own time, so that a machine that stands still counts for nothing. Beyond a second
 * the kernel's real-time throttling would let the other one run. */
#define COMPUTE_MS 500

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int locked;

static void set_priority(int priority)
{
	struct sched_param parameters = {.sched_priority = priority};
	int error =
	    pthread_setschedparam(pthread_self(), priority ? SCHED_FIFO : SCHED_OTHER, &parameters);

	if (error == EPERM)
		check_skip("no right to SCHED_FIFO");
	CHECK_OK(error);
}

static void *lock_without_priority(void *unused)
{
	(void)unused;
	set_priority(0);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *lock_with_priority(void *unused)
{
	(void)unused;
	set_priority(20);
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&locked, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus, one;
	int cpu = 0;

	CHECK_SYS(sched_getaffinity(0, sizeof(cpus), &cpus));
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_SYS(sched_setaffinity(0, sizeof(one), &one));
}

int main(void)
{
	struct check_thread other, realtime;
	struct timespec end;

	check_begin();
	stay_on_one_cpu();
	set_priority(10);
	CHECK_OK(pthread_mutex_lock(&mutex));
	check_start(&other, lock_without_priority, NULL);
	check_await_asleep(&other);
	check_start(&realtime, lock_with_priority, NULL);
	check_await_asleep(&realtime);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	end = check_after_ms(CLOCK_THREAD_CPUTIME_ID, COMPUTE_MS);
	while (!atomic_load(&locked))
		CHECK(!check_is_past(CLOCK_THREAD_CPUTIME_ID, &end));
	check_join(&realtime);
	check_join(&other);
	return 0;
}
