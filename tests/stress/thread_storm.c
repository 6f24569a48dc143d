/*
 * Threads come and go all the time; the destructors of their thread-specific data lock mutexes and
 * wait on condition variables, again and again in later iterations, when the runtime's own data of
 * the thread may be gone already. Some threads end by pthread_exit, some by cancellation, some are
 * detached.
 */
#include "stress.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { STARTERS = 3, BATCH = 8, KEYS = 4 };

static pthread_key_t keys[KEYS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER; /* with `mutex`; nobody signals it */
static pthread_cond_t detached_gone = PTHREAD_COND_INITIALIZER; /* with `last_words` */
static pthread_mutex_t last_words = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by `mutex`. */
static uint64_t started, ended, destructor_runs;
/* Guarded by `last_words`. */
static unsigned detached;

/* The data of a key is a count of iterations left to come back. */
static void destroy_data(void *data)
{
	unsigned *left = data;
	struct timespec at = stress_deadline(CLOCK_REALTIME, 1000);

	STRESS_OK(pthread_mutex_lock(&mutex));
	destructor_runs++;
	if (*left % 2 == 1)
		pthread_cond_timedwait(&never, &mutex, &at);
	STRESS_OK(pthread_mutex_unlock(&mutex));
	if (*left == 0) {
		free(left);
		return;
	}
	(*left)--;
	for (unsigned i = 0; i < KEYS; i++) {
		if (pthread_getspecific(keys[i]) == NULL) {
			STRESS_OK(pthread_setspecific(keys[i], left));
			return;
		}
	}
	free(left);
}

struct life {
	pthread_t thread;
	struct stress_random random;
	bool is_detached;
};

static void set_data(struct stress_random *random)
{
	for (unsigned i = 0; i < KEYS; i++) {
		if (stress_chance(random, 2))
			continue;
		unsigned *left = malloc(sizeof(*left));
		*left = stress_below(random, PTHREAD_DESTRUCTOR_ITERATIONS);
		STRESS_OK(pthread_setspecific(keys[i], left));
	}
}

static void say_goodbye(void *data)
{
	struct life *life = data;
	bool was_detached = life->is_detached;

	STRESS_OK(pthread_mutex_lock(&mutex));
	ended++;
	STRESS_OK(pthread_mutex_unlock(&mutex));
	if (!was_detached)
		return;
	free(life);
	STRESS_OK(pthread_mutex_lock(&last_words));
	if (--detached == 0)
		STRESS_OK(pthread_cond_broadcast(&detached_gone));
	STRESS_OK(pthread_mutex_unlock(&last_words));
}

static void unlock(void *locked)
{
	STRESS_OK(pthread_mutex_unlock(locked));
}

static void *live(void *argument)
{
	struct life *life = argument;
	struct timespec at;

	pthread_cleanup_push(say_goodbye, life);
	set_data(&life->random);
	for (unsigned i = 1 + stress_below(&life->random, 5); i-- > 0;) {
		STRESS_OK(pthread_mutex_lock(&mutex));
		stress_work(stress_below(&life->random, 200));
		STRESS_OK(pthread_mutex_unlock(&mutex));
	}
	switch (stress_below(&life->random, 4)) {
	case 0:
		pthread_exit(NULL);
	case 1:
		pthread_cancel(pthread_self());
		at = stress_deadline(CLOCK_REALTIME, 100000);
		STRESS_OK(pthread_mutex_lock(&mutex));
		pthread_cleanup_push(unlock, &mutex);
		pthread_cond_timedwait(&never, &mutex, &at);
		stress_fail("a wait with a cancellation pending returned");
		pthread_cleanup_pop(1);
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void start_batch(struct stress_random *random)
{
	struct life lives[BATCH];
	unsigned joinable = 0;

	for (unsigned i = 0; i < BATCH; i++) {
		struct life *life = &lives[joinable];
		bool detach = stress_chance(random, 3);
		if (detach) {
			life = malloc(sizeof(*life));
			STRESS_OK(pthread_mutex_lock(&last_words));
			detached++;
			STRESS_OK(pthread_mutex_unlock(&last_words));
		} else {
			joinable++;
		}
		life->is_detached = detach;
		life->random.state = stress_random(random);

		pthread_attr_t attributes;
		pthread_t thread;
		pthread_attr_init(&attributes);
		if (detach)
			pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		STRESS_OK(pthread_create(&thread, &attributes, live, life));
		pthread_attr_destroy(&attributes);
		if (!detach)
			life->thread = thread;
		STRESS_OK(pthread_mutex_lock(&mutex));
		started++;
		STRESS_OK(pthread_mutex_unlock(&mutex));
	}
	for (unsigned i = 0; i < joinable; i++)
		STRESS_OK(pthread_join(lives[i].thread, NULL));
	stress_round(BATCH);
}

static void *start(void *argument)
{
	struct stress_random *random = argument;

	while (stress_running())
		start_batch(random);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t starters[STARTERS];
	struct stress_random randoms[STARTERS];
	char detail[64];

	stress_begin(argc, argv, "thread_storm",
		     "Threads come and go; their destructors lock and wait.");
	for (unsigned i = 0; i < KEYS; i++)
		STRESS_OK(pthread_key_create(&keys[i], destroy_data));
	for (unsigned i = 0; i < STARTERS; i++) {
		randoms[i] = stress_random_for(i);
		STRESS_OK(pthread_create(&starters[i], NULL, start, &randoms[i]));
	}
	for (unsigned i = 0; i < STARTERS; i++)
		STRESS_OK(pthread_join(starters[i], NULL));
	STRESS_OK(pthread_mutex_lock(&last_words));
	while (detached != 0)
		STRESS_OK(pthread_cond_wait(&detached_gone, &last_words));
	STRESS_OK(pthread_mutex_unlock(&last_words));
	STRESS_OK(pthread_mutex_lock(&mutex));
	if (started != ended)
		stress_fail("%llu threads started, %llu ended", (unsigned long long)started,
			    (unsigned long long)ended);
	STRESS_CHECK(destructor_runs != 0);
	snprintf(detail, sizeof(detail), "%llu destructors ran",
		 (unsigned long long)destructor_runs);
	STRESS_OK(pthread_mutex_unlock(&mutex));
	stress_end(detail);
}
