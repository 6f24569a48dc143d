/*
 * A mutex per thread, side by side in one array: nobody ever waits, and yet the threads slow each
 * other down, because a mutex of the C library is 40 bytes and lines are 64. Built twice;
 * packed_padded differs by one #include.
 */
#ifdef PADDED
#include <ownline/pthread.h>
#else
#include <pthread.h>
#endif

#include <sched.h>
#include <unistd.h>

#include "example.h"

#define USAGE                                                                                      \
	"[MILLISECONDS [THREADS]]   500 ms, 2 threads, each on a CPU of its own if there are as "  \
	"many"
#define MOST	 64
#define PER_LOOK 256

/* Aligned, so that the first two share a line in every build; elsewhere it is a matter of luck. */
static _Alignas(64) pthread_mutex_t mutexes[MOST];
static int stop;

struct worker {
	pthread_t thread;
	int number;
	long operations;
};

/* A thread on each CPU in turn, so that they do run side by side. */
static void pin(int number)
{
	cpu_set_t allowed, one;
	int skip;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0)
		return;
	skip = number % CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || skip-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	pthread_mutex_t *mutex = &mutexes[worker->number];
	long operations = 0;

	pin(worker->number);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < PER_LOOK; i++) {
			pthread_mutex_lock(mutex);
			pthread_mutex_unlock(mutex);
		}
		operations += PER_LOOK;
	}
	worker->operations = operations;
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[MOST] = {{0}};
	long milliseconds, count, sum = 0;
	double start;

	example_usage(argc, argv, 2, USAGE);
	milliseconds = example_number(argc, argv, 1, "the time", 500, 1, 1000000);
	count = example_number(argc, argv, 2, "the number of threads", 2, 1, MOST);
	for (int i = 0; i < MOST; i++)
		example_must(pthread_mutex_init(&mutexes[i], NULL), "a mutex");
	start = example_seconds();
	for (int i = 0; i < count; i++) {
		workers[i].number = i;
		example_must(pthread_create(&workers[i].thread, NULL, work, &workers[i]),
			     "a thread");
	}
	usleep((useconds_t)milliseconds * 1000);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].operations;
	}
	printf("%zu bytes each: %.1f million operations a second\n", sizeof(mutexes[0]),
	       (double)sum / (example_seconds() - start) * 1e-6);
	return sum > 0 ? 0 : 1;
}
