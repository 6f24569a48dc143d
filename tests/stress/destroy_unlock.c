/*
 * The reference count pattern: the thread that drops the last reference under the mutex destroys
 * and frees the object right after its unlock, while the thread that unlocked before it may still
 * be on its way out of pthread_mutex_unlock.
 *
 * A round is one object. Its memory goes at once: unmapped, protected, filled with a pattern that
 * is checked, or initialised again as a new mutex at the same place.
 */
#include "grave.h"
#include "stress.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, BATCH = 64 };

struct object {
	pthread_mutex_t mutex;
	unsigned references; /* guarded by the mutex */
};

struct worker {
	pthread_t thread;
	unsigned number;
	struct stress_random random;
};

static struct stress_line line;
static unsigned threads;
static unsigned char *batch; /* BATCH pages, an object at the start of each */
static enum burial burials[BATCH];
static bool reuse[BATCH];
static bool destroy[BATCH];
static bool over;
/* So that workers meet at an object; outside it, because the object goes. */
static _Alignas(STRESS_LINE) _Atomic unsigned arrivals[BATCH];

static void prepare_batch(struct stress_random *random)
{
	static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_NORMAL,
				    PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};

	batch = grave_dig(BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		struct object *object = (struct object *)(batch + (size_t)i * GRAVE_PAGE);
		pthread_mutexattr_t attributes;
		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, kinds[stress_below(random, 4)]);
		STRESS_OK(pthread_mutex_init(&object->mutex, &attributes));
		pthread_mutexattr_destroy(&attributes);
		object->references = threads;
		burials[i] = stress_below(random, BURIALS);
		reuse[i] = stress_chance(random, 4);
		destroy[i] = !stress_chance(random, 4); /* C++ never does for std::mutex */
		atomic_store_explicit(&arrivals[i], 0, memory_order_relaxed);
	}
}

static void clear_batch(void)
{
	for (unsigned i = 0; i < BATCH; i++) {
		if (burials[i] == BURY_POISON)
			grave_check(batch + (size_t)i * GRAVE_PAGE);
	}
	grave_clear(batch, BATCH);
	stress_round(BATCH);
}

static void meet(struct worker *worker, unsigned which)
{
	unsigned patience = stress_below(&worker->random, 300);

	atomic_fetch_add_explicit(&arrivals[which], 1, memory_order_relaxed);
	while (patience-- != 0 &&
	       atomic_load_explicit(&arrivals[which], memory_order_relaxed) < threads)
		;
}

static void lock_object(struct worker *worker, struct object *object)
{
	int error = EBUSY;
	struct timespec at;

	switch (stress_below(&worker->random, 6)) {
	case 0:
		while ((error = pthread_mutex_trylock(&object->mutex)) == EBUSY)
			sched_yield();
		break;
	case 1:
		do {
			at = stress_deadline(CLOCK_REALTIME, stress_below(&worker->random, 20000));
			error = pthread_mutex_timedlock(&object->mutex, &at);
		} while (error == ETIMEDOUT);
		break;
	default:
		error = pthread_mutex_lock(&object->mutex);
	}
	STRESS_CHECK(error == 0);
}

static void bury(struct object *object, unsigned which)
{
	if (reuse[which]) {
		memset(object, 0, sizeof(*object));
		STRESS_OK(pthread_mutex_init(&object->mutex, NULL));
		STRESS_OK(pthread_mutex_lock(&object->mutex));
		STRESS_OK(pthread_mutex_unlock(&object->mutex));
	}
	if (destroy[which])
		STRESS_OK(pthread_mutex_destroy(&object->mutex));
	grave_bury(object, burials[which]);
}

static void use_object(struct worker *worker, unsigned which)
{
	struct object *object = (struct object *)(batch + (size_t)which * GRAVE_PAGE);

	meet(worker, which);
	lock_object(worker, object);
	if (stress_chance(&worker->random, 200))
		stress_sleep_ns(stress_below(&worker->random, 60000));
	else
		stress_work(stress_below(&worker->random, 100));
	bool last = --object->references == 0;
	STRESS_OK(pthread_mutex_unlock(&object->mutex));
	if (last)
		bury(object, which);
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (;;) {
		if (worker->number == 0) {
			over = !stress_running();
			if (!over)
				prepare_batch(&worker->random);
		}
		stress_line_up(&line, threads);
		if (over)
			return NULL;
		for (unsigned i = 0; i < BATCH; i++)
			use_object(worker, i);
		stress_line_up(&line, threads);
		if (worker->number == 0)
			clear_batch();
	}
}

int main(int argc, char **argv)
{
	stress_begin(argc, argv, "destroy_unlock",
		     "Destroys and frees a mutex right after the last unlock.");
	threads = stress.threads != 0 ? stress.threads : THREADS;
	struct worker *workers = calloc(threads, sizeof(*workers));

	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (unsigned i = 0; i < threads; i++)
		STRESS_OK(pthread_join(workers[i].thread, NULL));
	free(workers);
	stress_end(NULL);
}
