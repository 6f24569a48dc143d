/*
 * Mutexes that are initialised, used (also contended) and abandoned without destroy, as C++ does
 * it, add nothing to the resident size beyond their own bytes. --rounds is how many.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#define SLACK_KB 2048 /* stacks and the like; a byte and a half per mutex at the default */

static pthread_mutex_t *mutexes;
static size_t count;
static pthread_barrier_t meet;

static long resident_kb(void)
{
	char text[128];
	long pages = 0;

	CHECK(check_read_proc("/proc/self/statm", text, sizeof(text)));
	CHECK_EQ(sscanf(text, "%*d %ld", &pages), 1);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Both threads walk side by side, so that many of the mutexes are contended. */
static void *use_all(void *argument)
{
	for (size_t i = 0; i < count; i++) {
		if (i % 4096 == 0)
			pthread_barrier_wait(&meet);
		CHECK_OK(pthread_mutex_lock(&mutexes[i]));
		if (i % 4096 == 0 && !argument) /* the other one has to block here */
			check_sleep_ms(1);
		CHECK_OK(pthread_mutex_unlock(&mutexes[i]));
	}
	return NULL;
}

static void walk(void)
{
	struct check_thread threads[2];

	check_start(&threads[0], use_all, NULL);
	check_start(&threads[1], use_all, &count);
	check_join(&threads[0]);
	check_join(&threads[1]);
}

int main(int argc, char **argv)
{
	struct check_options options;
	long before, after;

	check_begin();
	options = check_options(argc, argv, 1000000);
	pthread_barrier_init(&meet, NULL, 2);
	mutexes = malloc(options.rounds * sizeof(*mutexes));
	CHECK(mutexes);
	for (size_t i = 0; i < options.rounds; i++)
		CHECK_OK(pthread_mutex_init(&mutexes[i], NULL));
	count = options.rounds < 10000 ? options.rounds : 10000;
	walk(); /* stacks and per-thread state exist from here on */
	before = resident_kb();
	count = options.rounds;
	walk();
	for (size_t i = 0; i < options.rounds; i++) /* and once more as fresh ones */
		CHECK_OK(pthread_mutex_init(&mutexes[i], NULL));
	walk();
	after = resident_kb();
	printf("%lu mutexes: resident %ld kB before, %ld kB after\n", options.rounds, before,
	       after);
	CHECK(after - before <= SLACK_KB);
	free(mutexes);
	return 0;
}
