/*
 * A handler forks at the n-th step of a slow path, for every n, and returns in the child. There the
 * interrupted call ends, a mutex that it released or took is so, and the locks work among threads
 * of the child. A step that mixed the parent's and the child's generation made the child wait for
 * threads that it has not.
 */
#include "support/threads.h"
#include "sys/delay.h"

#define WAITERS 3
#define STEPS	200 /* more than any of the calls has */

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static _Thread_local unsigned countdown; /* steps until the fork, 0: none */
static _Thread_local int is_main;
static atomic_int frozen; /* waiters that are woken may not take the mutex */
static int taken;	  /* it was another thread's, or nearly so, when the handler forked */
static pid_t child;
static atomic_int go, awake;
static struct check_thread threads[WAITERS];

void own_delay(const char *label)
{
	if (!is_main && strcmp(label, "designated arrives") == 0) {
		while (atomic_load(&frozen))
			check_sleep_ms(1);
	}
	if (countdown == 0 || --countdown > 0)
		return;
	child = check_fork();
	if (child == 0) {
		check_deadline(60);
		taken = mutex.__data.__owner != 0 && mutex.__data.__owner != getppid();
		atomic_store(&frozen, 0);
	}
}

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *wait_for_go(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (atomic_load(&awake) >= atomic_load(&go))
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	atomic_fetch_add(&awake, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void start_waiters(void *(*body)(void *))
{
	for (size_t i = 0; i < WAITERS; i++) {
		check_start(&threads[i], body, NULL);
		check_await_asleep(&threads[i]);
	}
}

static void join_waiters(void)
{
	for (size_t i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
}

/* Unless the mutex is another's, it is free: it and the condition variable serve threads of this
 * process. */
static void check_health(void)
{
	if (pthread_mutex_trylock(&mutex) == EBUSY) {
		CHECK(taken);
		CHECK_OK(pthread_cond_destroy(&cond));
		return;
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int round = 0; round < 2; round++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		start_waiters(lock_and_unlock);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		join_waiters();
		atomic_store(&go, 0);
		atomic_store(&awake, 0);
		start_waiters(wait_for_go);
		CHECK_OK(pthread_mutex_lock(&mutex));
		atomic_store(&go, WAITERS);
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		join_waiters();
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

/* The waiters have queued; `patience_ms` later the mutex is unlocked. */
static void unlock_after(unsigned step, long patience_ms)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	start_waiters(lock_and_unlock);
	check_sleep_ms(patience_ms);
	atomic_store(&frozen, 1);
	countdown = step;
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void unlock_young(unsigned step)
{
	unlock_after(step, 0);
}

/* Old enough to be woken for a hand-over. */
static void unlock_old(unsigned step)
{
	unlock_after(step, 5);
}

/* Old enough to be handed the mutex asleep. */
static void unlock_very_old(unsigned step)
{
	unlock_after(step, 40);
}

static void end_waits(void (*wake)(pthread_cond_t *cond), unsigned step)
{
	atomic_store(&go, 0);
	atomic_store(&awake, 0);
	start_waiters(wait_for_go);
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&go, WAITERS);
	countdown = step;
	wake(&cond);
	countdown = 0;
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void signal_one(pthread_cond_t *all)
{
	CHECK_OK(pthread_cond_signal(all));
}

static void broadcast_all(pthread_cond_t *all)
{
	CHECK_OK(pthread_cond_broadcast(all));
}

static void signal_waiters(unsigned step)
{
	end_waits(signal_one, step);
}

static void broadcast_to_waiters(unsigned step)
{
	end_waits(broadcast_all, step);
}

/* In the child the wait may end for no reason. */
static void wait_beside_others(unsigned step)
{
	struct timespec soon;
	int result;

	atomic_store(&go, 0);
	atomic_store(&awake, 0);
	start_waiters(wait_for_go);
	CHECK_OK(pthread_mutex_lock(&mutex));
	soon = check_after_ms(CLOCK_REALTIME, 2);
	countdown = step;
	result = pthread_cond_timedwait(&cond, &mutex, &soon);
	CHECK(result == ETIMEDOUT || child == 0);
	atomic_store(&go, WAITERS);
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static const struct {
	const char *name;
	void (*call)(unsigned step);
} calls[] = {
    {"unlock, young waiters", unlock_young},	   {"unlock, old waiters", unlock_old},
    {"unlock, very old waiters", unlock_very_old}, {"signal", signal_waiters},
    {"broadcast", broadcast_to_waiters},	   {"timed wait", wait_beside_others},
};

static void end_round(void)
{
	countdown = 0;
	atomic_store(&frozen, 0);
	if (child == 0) {
		check_health();
		_exit(0);
	}
	/* Whoever was not signalled. */
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	join_waiters();
	if (child > 0)
		check_reap(child);
	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	is_main = 1;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		for (unsigned step = 1; step < STEPS; step++) {
			printf("%s: step %u\n", calls[i].name, step);
			fflush(stdout);
			child = -1;
			CHECK_OK(pthread_mutex_init(&mutex, NULL));
			CHECK_OK(pthread_cond_init(&cond, NULL));
			calls[i].call(step);
			end_round();
			if (child < 0)
				break; /* it has no such step */
		}
		CHECK(child < 0);
	}
	return 0;
}
