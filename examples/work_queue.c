/*
 * A bounded work queue: producers wait while it is full, consumers while it is empty. The most
 * common use of condition variables, and one where a short look before sleeping pays most.
 */
#include <pthread.h>

#include "example.h"

#define USAGE "[ITEMS-PER-PRODUCER [PRODUCERS-AND-AS-MANY-CONSUMERS]]   100000 items, 4 and 4"
#define SLOTS 64

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static long slots[SLOTS];
static int first, used;
static long items;

static void put(long item)
{
	pthread_mutex_lock(&mutex);
	while (used == SLOTS)
		pthread_cond_wait(&not_full, &mutex);
	slots[(first + used++) % SLOTS] = item;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&not_empty);
}

static long take(void)
{
	long item;

	pthread_mutex_lock(&mutex);
	while (used == 0)
		pthread_cond_wait(&not_empty, &mutex);
	item = slots[first];
	first = (first + 1) % SLOTS;
	used--;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&not_full);
	return item;
}

static void *produce(void *unused)
{
	for (long i = 1; i <= items; i++)
		put(i);
	return unused;
}

static void *consume(void *sum)
{
	for (long i = 1; i <= items; i++)
		*(long *)sum += take();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[256];
	long sums[128] = {0};
	long pairs, sum = 0;
	double start;

	example_usage(argc, argv, 2, USAGE);
	items = example_number(argc, argv, 1, "the number of items", 100000, 1, 100000000);
	pairs = example_number(argc, argv, 2, "the number of producers", 4, 1, 128);
	start = example_seconds();
	for (long i = 0; i < pairs; i++) {
		example_must(pthread_create(&threads[2 * i], NULL, produce, NULL), "a thread");
		example_must(pthread_create(&threads[2 * i + 1], NULL, consume, &sums[i]),
			     "a thread");
	}
	for (long i = 0; i < 2 * pairs; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; i < pairs; i++)
		sum += sums[i];
	printf("%ld items a second\n",
	       (long)((double)(items * pairs) / (example_seconds() - start)));
	if (sum != pairs * (items * (items + 1) / 2)) {
		fprintf(stderr, "work_queue: items were lost or taken twice\n");
		return 1;
	}
	return 0;
}
