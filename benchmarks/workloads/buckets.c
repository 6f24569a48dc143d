/*
 * What it brings to choose the futex words by their buckets in the kernel's private hash: the same
 * calls on words that share one bucket, are apart, or lie as they come.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/futex_hash.h"
#include "workloads/catalogue.h"

#define LINES 65536 /* to choose from */

enum where {
	ONE_BUCKET,
	APART,
	AS_THEY_COME,
};

struct line {
	alignas(OWN_APART) atomic_uint word;
};

struct buckets {
	struct line *lines;
	atomic_uint **words;
};

static long futex(atomic_uint *word, int operation, unsigned value)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Takes the first line from `next` on whose word is in the bucket that word `number` shall have. */
static atomic_uint *choose(struct buckets *buckets, size_t *next, unsigned number, enum where where,
			   uint32_t slots)
{
	uint32_t wanted = where == APART ? number % slots : 0;

	while (*next < LINES) {
		atomic_uint *word = &buckets->lines[(*next)++].word;

		if (where == AS_THEY_COME || own_futex_bucket(word, slots) == wanted)
			return word;
	}
	own_fail("buckets: %d words are not enough for so many threads and slots: give fewer",
		 LINES);
}

/* Words for `count`; the table is set before the first thread. */
static void choose_words(struct own_run *run, unsigned count)
{
	struct buckets *buckets = own_allocate(1, sizeof(*buckets));
	long where = run->arguments[1];
	long slots = run->arguments[2];

	if (where > AS_THEY_COME)
		own_fail("%s: WHERE is 0 (one bucket), 1 (apart) or 2 (as they come)",
			 run->workload->name);
	if (slots < 2 || slots > LINES || (slots & (slots - 1)) != 0)
		own_fail("%s: SLOTS is a power of two from 2 to %d", run->workload->name, LINES);
	if (own_futex_hash_set_slots((uint32_t)slots) != 0)
		own_fail("%s: the kernel refuses %ld slots: Linux 6.17 or later is needed",
			 run->workload->name, slots);
	buckets->lines = own_allocate(LINES, sizeof(*buckets->lines));
	buckets->words = own_allocate(count, sizeof(*buckets->words));
	for (size_t next = 0, i = 0; i < count; i++)
		buckets->words[i] =
		    choose(buckets, &next, (unsigned)i, (enum where)where, (uint32_t)slots);
	run->state = buckets;
}

static void setup_buckets(struct own_run *run)
{
	run->thread_count = (unsigned)run->arguments[0];
	choose_words(run, run->thread_count);
}

static void thread_buckets(struct own_run *run, struct own_thread *self)
{
	const struct buckets *buckets = run->state;
	atomic_uint *word = buckets->words[self->index];

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		futex(word, FUTEX_WAIT, 1234);
		own_sample_end(self, started);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_buckets = {
    .name = "buckets",
    .usage = "N [WHERE [SLOTS]]",
    .help = "mismatching FUTEX_WAITs, a word a thread; all words in one bucket of the private\n"
	    "      hash of SLOTS (WHERE 0), apart (1), or as they come (2)",
    .required = 1,
    .arguments = 3,
    .defaults = {0, APART, 16},
    .kernel = true,
    .setup = setup_buckets,
    .thread = thread_buckets,
};

static void setup_pairs(struct own_run *run)
{
	if (run->arguments[0] % 2 != 0)
		own_fail("pairs: N is even");
	run->thread_count = (unsigned)run->arguments[0];
	choose_words(run, run->thread_count);
}

/* Each waits on a word of its own, as parkers are: 1 is "go on". */
static void thread_pairs(struct own_run *run, struct own_thread *self)
{
	const struct buckets *buckets = run->state;
	atomic_uint *mine = buckets->words[self->index];
	atomic_uint *partners = buckets->words[self->index ^ 1];

	if (self->index % 2 == 0)
		atomic_store(mine, 1);
	while (!own_stopping(run)) {
		while (atomic_exchange(mine, 0) == 0 && !own_stopping(run))
			futex(mine, FUTEX_WAIT, 0);
		atomic_store(partners, 1);
		futex(partners, FUTEX_WAKE, 1);
		own_count(self, 1);
	}
}

static void wake_pairs(struct own_run *run)
{
	const struct buckets *buckets = run->state;

	for (unsigned i = 0; i < run->thread_count; i++)
		futex(buckets->words[i], FUTEX_WAKE, 1);
}

const struct own_workload own_workload_pairs = {
    .name = "pairs",
    .usage = "N [WHERE [SLOTS]]",
    .help = "N/2 pairs of threads wake each other in turn, a word a thread; WHERE and SLOTS as\n"
	    "      for buckets",
    .required = 1,
    .arguments = 3,
    .defaults = {0, APART, 16},
    .kernel = true,
    .setup = setup_pairs,
    .thread = thread_pairs,
    .wake = wake_pairs,
};
