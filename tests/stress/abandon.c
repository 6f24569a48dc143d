/*
 * Mutexes and condition variables that are initialised, used once and abandoned without destroy
 * leave nothing behind; so do those whose memory is freed and used again, and threads that come
 * and go. C++ programs do so all the time: std::mutex never calls destroy.
 *
 * A round is one abandoned mutex and condition variable, used under contention now and then. The
 * resident size after the second half of the run must be that of the first half, give or take
 * what the allocator of the C library may do.
 */
#include "stress.h"

#include "support/sanitizers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 1024, SPARE_KIB = 2048 };

/* AddressSanitizer keeps 5.5 KiB of every thread that ever was, on any locks. */
enum { THREAD_KIB = HAS_ADDRESS_SANITIZER ? 7 : 0 };

struct object {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned uses;
};

static struct object objects[BATCH];
static struct stress_line line;
static bool over;

static void use(struct object *object)
{
	struct timespec past = {.tv_sec = 1};

	STRESS_OK(pthread_mutex_lock(&object->mutex));
	object->uses++;
	int error = pthread_cond_timedwait(&object->cond, &object->mutex, &past);
	STRESS_CHECK(error == ETIMEDOUT || error == 0); /* 0: signalled in between */
	STRESS_OK(pthread_cond_signal(&object->cond));
	STRESS_OK(pthread_mutex_unlock(&object->mutex));
}

static void *use_all(void *unused)
{
	(void)unused;
	for (;;) {
		stress_line_up(&line, 2);
		if (over)
			return NULL;
		for (unsigned i = 0; i < BATCH; i++)
			use(&objects[i]);
		stress_line_up(&line, 2);
	}
}

static void make_batch(struct stress_random *random)
{
	memset(objects, stress_chance(random, 2) ? 0 : 0xff, sizeof(objects));
	for (unsigned i = 0; i < BATCH; i++) {
		objects[i].uses = 0;
		STRESS_OK(pthread_mutex_init(&objects[i].mutex, NULL));
		STRESS_OK(pthread_cond_init(&objects[i].cond, NULL));
	}
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
		stress_fail("cannot read /proc/self/statm");
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void *pass_by(void *object)
{
	use(object);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t helper, passer;
	long before = 0, passers = 0;
	char detail[96];

	stress_begin(argc, argv, "abandon",
		     "Abandoned mutexes and condition variables leave no memory behind.");
	struct stress_random random = stress_random_for(0);
	uint64_t half = stress_now(CLOCK_MONOTONIC) + (uint64_t)(stress.seconds * 0.5e9);
	STRESS_OK(pthread_create(&helper, NULL, use_all, NULL));
	for (;;) {
		over = !stress_running();
		bool past_half = (stress.rounds != 0 && stress_rounds() >= stress.rounds / 2) ||
				 (stress.seconds > 0 && stress_now(CLOCK_MONOTONIC) >= half);
		if (before == 0 && past_half)
			before = resident_kib(), passers = 0;
		if (!over)
			make_batch(&random);
		stress_line_up(&line, 2);
		if (over)
			break;
		for (unsigned i = 0; i < BATCH; i++)
			use(&objects[i]);
		stress_line_up(&line, 2);
		for (unsigned i = 0; i < BATCH; i++)
			STRESS_CHECK(objects[i].uses == 2);
		STRESS_OK(pthread_create(&passer, NULL, pass_by, &objects[0]));
		STRESS_OK(pthread_join(passer, NULL));
		passers++;
		stress_round(BATCH);
	}
	STRESS_OK(pthread_join(helper, NULL));
	long after = resident_kib();
	snprintf(detail, sizeof(detail), "resident size %ld KiB half way, %ld KiB at the end",
		 before, after);
	if (before != 0 && after > before + SPARE_KIB + passers * THREAD_KIB)
		stress_fail("memory grew: %s", detail);
	stress_end(detail);
}
