/*
 * A condition variable that is destroyed and freed right after broadcast, or right after the
 * signal to its only waiter, before the waiters have returned. In a third of the rounds it is the
 * last waiter that frees condition variable and mutex, while the waker may still be on its way
 * out of its unlock.
 *
 * Waiters that time out meanwhile are a part of it: destroy has to wait for those that are just
 * leaving, and for nobody else.
 */
#include "grave.h"
#include "stress.h"

#include <errno.h>
#include <stdlib.h>

enum { WAITERS = 3 };

enum freer {
	WAKER_BROADCASTS,
	WAKER_SIGNALS, /* one waiter */
	LAST_WAITER,
	FREERS
};

struct object { /* one page, gone when it is freed */
	pthread_cond_t cond;
	pthread_mutex_t mutex; /* used by LAST_WAITER only */
};

struct waiter {
	pthread_t thread;
	struct stress_random random;
};

static struct stress_line line;
static unsigned waiters;
static pthread_mutex_t lasting_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Written by the waker between two meetings at the line. */
static struct object *object;
static pthread_mutex_t *mutex;
static enum freer freer;
static enum burial burial;
static bool over;

/* Guarded by `mutex`. */
static bool flag;
static unsigned waiting;
static unsigned inside;

static void wait_for_flag(struct waiter *waiter)
{
	while (!flag) {
		waiting++;
		if (stress_chance(&waiter->random, 2)) {
			STRESS_OK(pthread_cond_wait(&object->cond, mutex));
			continue;
		}
		struct timespec at =
		    stress_deadline(CLOCK_REALTIME, stress_below(&waiter->random, 30000));
		int error = pthread_cond_timedwait(&object->cond, mutex, &at);
		STRESS_CHECK(error == 0 || error == ETIMEDOUT);
	}
}

static void *wait_rounds(void *argument)
{
	struct waiter *waiter = argument;

	for (;;) {
		stress_line_up(&line, waiters + 1);
		if (over)
			return NULL;
		STRESS_OK(pthread_mutex_lock(mutex));
		wait_for_flag(waiter);
		bool last = --inside == 0 && freer == LAST_WAITER;
		STRESS_OK(pthread_mutex_unlock(mutex));
		if (last) {
			STRESS_OK(pthread_cond_destroy(&object->cond));
			STRESS_OK(pthread_mutex_destroy(&object->mutex));
			grave_bury(object, burial);
		}
		stress_line_up(&line, waiters + 1);
	}
}

static void prepare_round(struct stress_random *random)
{
	over = !stress_running();
	if (over)
		return;
	object = grave_dig(1);
	STRESS_OK(pthread_cond_init(&object->cond, NULL));
	STRESS_OK(pthread_mutex_init(&object->mutex, NULL));
	freer = stress_below(random, FREERS);
	if (freer == WAKER_SIGNALS && waiters != 1)
		freer = WAKER_BROADCASTS;
	burial = stress_below(random, BURIALS);
	mutex = freer == LAST_WAITER ? &object->mutex : &lasting_mutex;
	flag = false;
	waiting = 0;
	inside = waiters;
}

/* Some or all waiters are waiting, some have timed out once or twice, or nobody has come yet. */
static void wait_for_waiters(struct stress_random *random)
{
	unsigned wanted = stress_below(random, waiters + 3);

	STRESS_OK(pthread_mutex_lock(mutex));
	for (unsigned looks = 0; waiting < wanted && looks < 20; looks++) {
		STRESS_OK(pthread_mutex_unlock(mutex));
		stress_sleep_ns(500);
		STRESS_OK(pthread_mutex_lock(mutex));
	}
	/* Still locked. */
}

static void wake_and_free(struct stress_random *random)
{
	bool held = freer == LAST_WAITER || stress_chance(random, 2);

	wait_for_waiters(random);
	flag = true;
	if (!held)
		STRESS_OK(pthread_mutex_unlock(mutex));
	STRESS_OK(freer == WAKER_SIGNALS ? pthread_cond_signal(&object->cond)
					 : pthread_cond_broadcast(&object->cond));
	if (freer != LAST_WAITER && (!held || stress_chance(random, 2))) {
		STRESS_OK(pthread_cond_destroy(&object->cond));
		grave_bury(object, burial);
		if (held)
			STRESS_OK(pthread_mutex_unlock(mutex));
		return;
	}
	STRESS_OK(pthread_mutex_unlock(mutex));
	if (freer != LAST_WAITER) {
		STRESS_OK(pthread_cond_destroy(&object->cond));
		grave_bury(object, burial);
	}
}

int main(int argc, char **argv)
{
	stress_begin(argc, argv, "destroy_cond",
		     "Destroys and frees a condition variable right after its last wakeup.");
	struct stress_random random = stress_random_for(1000000);
	waiters = stress.threads != 0 ? stress.threads : 1 + (unsigned)(stress.seed % WAITERS);
	struct waiter *all = calloc(waiters, sizeof(*all));

	for (unsigned i = 0; i < waiters; i++) {
		all[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&all[i].thread, NULL, wait_rounds, &all[i]));
	}
	for (;;) {
		prepare_round(&random);
		stress_line_up(&line, waiters + 1);
		if (over)
			break;
		wake_and_free(&random);
		stress_line_up(&line, waiters + 1);
		if (burial == BURY_POISON)
			grave_check(object);
		grave_clear(object, 1);
		stress_round(1);
	}
	for (unsigned i = 0; i < waiters; i++)
		STRESS_OK(pthread_join(all[i].thread, NULL));
	free(all);
	stress_end(NULL);
}
