/*
 * A child of _Fork, which no fork handler sees, makes a thread before it has used a lock. While one
 * thread gives the process its new generation the other went on with the old one: its place in a
 * queue was then foreign, and no unlock woke it.
 */
#include <time.h>
#include <unistd.h>

#include "core/fork.h"
#include "support/check.h"
#include "sys/delay.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int go, steps, changing;

void own_delay(const char *label)
{
	if (strcmp(label, "M-queue before") == 0 && own_load_relaxed(&changing))
		own_fetch_add_relaxed(&steps, 1);
	if (strcmp(label, "fork seen") != 0)
		return;
	own_store_relaxed(&changing, 1);
	own_store_release(&go, 1);
	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	own_store_relaxed(&changing, 0);
}

static void *waits(void *unused)
{
	while (!own_load_acquire(&go))
		sched_yield();
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return unused;
}

static void child(void)
{
	pthread_t thread;

	CHECK_OK(pthread_create(&thread, NULL, waits, NULL));
	own_fork_check();
	CHECK(own_load_relaxed(&steps) == 0);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_join(thread, NULL));
	CHECK(own_load_relaxed(&go) == 1);
}

int main(void)
{
	pid_t process;

	check_begin();
	CHECK_OK(pthread_mutex_lock(&mutex));
	process = _Fork();
	CHECK(process >= 0);
	if (process == 0) {
		child();
		_exit(0);
	}
	check_reap(process);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return 0;
}
