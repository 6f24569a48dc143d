/*
 * Waiters of SCHED_FIFO on the CPU of an owner that is an ordinary thread: whoever spins instead of
 * sleeping keeps the owner from the CPU. The kernel's real-time throttling would let it on for a
 * moment each second; so many rounds take longer than the deadline that way.
 */
#include "support/threads.h"

#include <sched.h>

#define ROUNDS	 600
#define ORDINARY 3
#define REALTIME 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long count, asked, answered;
static int over;
static atomic_int contending = REALTIME;

static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

/* Ordinary threads are preempted with the mutex, and inside the calls. */
static void *contend(void *unused)
{
	(void)unused;
	while (atomic_load(&contending)) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		work(500);
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void *contend_in_real_time(void *priority)
{
	struct sched_param parameter = {.sched_priority = (int)(intptr_t)priority};

	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter));
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec rest = {0, 20000 + i % 7 * 10000};

		nanosleep(&rest, NULL); /* wakes up at any moment of the owner's */
		CHECK_OK(pthread_mutex_lock(&mutex));
		count++;
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	atomic_fetch_sub(&contending, 1);
	return NULL;
}

static void *answer(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!over) {
		if (answered < asked) {
			answered++;
			CHECK_OK(pthread_cond_broadcast(&cond));
		}
		while (!over && answered == asked)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *ask_in_real_time(void *priority)
{
	struct sched_param parameter = {.sched_priority = (int)(intptr_t)priority};

	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter));
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		long mine = ++asked;

		CHECK_OK(pthread_cond_broadcast(&cond));
		while (answered < mine)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

int main(void)
{
	struct sched_param parameter = {.sched_priority = 2};
	struct check_thread threads[ORDINARY + REALTIME], asker, answerer;
	cpu_set_t one;
	int number = 0, error;

	check_begin();
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_SYS(sched_setaffinity(0, sizeof(one), &one));
	error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
	if (error == EPERM)
		check_skip("no right to SCHED_FIFO");
	CHECK_OK(error);
	parameter.sched_priority = 0;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter));

	for (int i = 0; i < ORDINARY; i++)
		check_start(&threads[number++], contend, NULL);
	for (intptr_t i = 0; i < REALTIME; i++)
		check_start(&threads[number++], contend_in_real_time, (void *)(2 + i));
	while (number > 0)
		check_join(&threads[--number]);
	CHECK_EQ(count, ROUNDS * REALTIME);

	check_start(&answerer, answer, NULL);
	check_start(&asker, ask_in_real_time, (void *)2);
	check_join(&asker);
	CHECK_OK(pthread_mutex_lock(&mutex));
	over = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&answerer);
	CHECK_EQ(answered, ROUNDS);
	return 0;
}
