/*
 * An allocator whose mutexes run on ownline: jemalloc keeps counters of its own locks, and so do
 * we. Threads allocate from one arena without thread caches; then both sides are asked about the
 * same locks over the same time. jemalloc counts each lock call that it has to make after its own
 * tries; we count those of them that did not get the mutex at once.
 *
 * A first turn, which is not counted, lets the arena grow: for that jemalloc has two locks of
 * which it publishes no counters.
 */
#include <pthread.h>
#include <stdint.h>

#include <jemalloc/jemalloc.h>

#include <ownline/ownline.h>

#include "example.h"

#define USAGE "[ROUNDS [THREADS]]   300000 rounds of 8 threads"
#define MOST  64
#define LIVE  64

/* Read by jemalloc before main: everything goes through the locks of one arena. */
const char *malloc_conf = "narenas:1,tcache:false,dirty_decay_ms:-1";

static long rounds;

static void *allocate(void *argument)
{
	void *live[LIVE] = {0};
	uint32_t random = (uint32_t)(uintptr_t)argument + 1;

	for (long i = 0; i < rounds; i++) {
		random = random * 1664525 + 1013904223;
		free(live[random >> 26]);
		live[random >> 26] = malloc(16 + (random >> 8 & 4095));
	}
	for (int i = 0; i < LIVE; i++)
		free(live[i]);
	return NULL;
}

/* Adds one of jemalloc's counters; names that this jemalloc lacks count nothing. */
static int add(uint64_t *sum, const char *mutex, const char *counter)
{
	char name[128];
	uint64_t value = 0;
	size_t size = sizeof(value);

	snprintf(name, sizeof(name), "stats.%s.%s", mutex, counter);
	if (mallctl(name, &value, &size, NULL, 0) != 0)
		return 0;
	*sum += value;
	return 1;
}

struct counted {
	uint64_t waits;
	uint64_t wait_ns;
	int mutexes;
};

static void add_mutex(struct counted *sum, const char *mutex)
{
	if (add(&sum->waits, mutex, "num_wait") && add(&sum->wait_ns, mutex, "total_wait_time"))
		sum->mutexes++;
}

/* All mutexes of the first arena (the only one), and those that all arenas share. */
static struct counted jemalloc_counts(void)
{
	static const char *const names[] = {"mutexes.background_thread",
					    "mutexes.max_per_bg_thd",
					    "mutexes.ctl",
					    "mutexes.prof",
					    "mutexes.prof_thds_data",
					    "mutexes.prof_dump",
					    "mutexes.prof_recent_alloc",
					    "mutexes.prof_recent_dump",
					    "mutexes.prof_stats",
					    "arenas.0.mutexes.large",
					    "arenas.0.mutexes.extent_avail",
					    "arenas.0.mutexes.extents_dirty",
					    "arenas.0.mutexes.extents_muzzy",
					    "arenas.0.mutexes.extents_retained",
					    "arenas.0.mutexes.decay_dirty",
					    "arenas.0.mutexes.decay_muzzy",
					    "arenas.0.mutexes.base",
					    "arenas.0.mutexes.tcache_list",
					    "arenas.0.mutexes.hpa_shard",
					    "arenas.0.mutexes.hpa_shard_grow",
					    "arenas.0.mutexes.hpa_sec"};
	struct counted sum = {0, 0, 0};
	uint64_t epoch = 1;
	unsigned bins = 0;
	size_t size = sizeof(bins);

	mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch)); /* takes new figures */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_mutex(&sum, names[i]);
	mallctl("arenas.nbins", &bins, &size, NULL, 0);
	for (unsigned i = 0; i < bins; i++) {
		char name[64];

		snprintf(name, sizeof(name), "arenas.0.bins.%u.mutex", i);
		add_mutex(&sum, name);
	}
	return sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	struct ownline_stats ours;
	struct counted theirs;
	long count;

	example_usage(argc, argv, 2, USAGE);
	rounds = example_number(argc, argv, 1, "the number of rounds", 300000, 1, 1000000000);
	count = example_number(argc, argv, 2, "the number of threads", 8, 1, MOST);
	for (int turn = 0; turn < 2; turn++) {
		mallctl("stats.mutexes.reset", NULL, NULL, NULL, 0);
		ownline_stats_reset();
		for (long i = 0; i < count; i++)
			example_must(
			    pthread_create(&threads[i], NULL, allocate, (void *)(uintptr_t)i),
			    "a thread");
		for (long i = 0; i < count; i++)
			pthread_join(threads[i], NULL);
	}
	ownline_stats_read(&ours);
	theirs = jemalloc_counts();

	printf("                       jemalloc (%d mutexes)      ownline\n", theirs.mutexes);
	printf("calls that met a lock  %24llu %12llu\n", (unsigned long long)theirs.waits,
	       (unsigned long long)ours.contended);
	printf("of these queued        %24s %12llu\n", "", (unsigned long long)ours.queued);
	if (theirs.mutexes < 10) {
		fprintf(stderr, "jemalloc_stats: this jemalloc keeps no counters of its mutexes\n");
		return 1;
	}
	/* No lock but jemalloc's is contended here. Some of its calls find the mutex free again; a
	 * few of ours may be for the locks of growth. */
	if (ours.contended > theirs.waits + theirs.waits / 5 + 20 ||
	    ours.contended + theirs.waits / 2 + 20 < theirs.waits) {
		fprintf(stderr, "jemalloc_stats: the two disagree\n");
		return 1;
	}
	return 0;
}
