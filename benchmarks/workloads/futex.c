/*
 * The kernel's side alone, without any lock library: the futex benchmarks that kernel developers
 * quote, with a share of mismatches that can be set.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/catalogue.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH		78
#define PR_FUTEX_HASH_SET_SLOTS 1
#endif

static long futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
}

struct hash {
	atomic_uint *words;
	size_t words_per_thread;
	int private_flag;
};

/* Global for good, or a number of buckets; both before the first thread. */
static void set_buckets(long buckets)
{
	if (buckets == 0)
		return;
	if (prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS,
		  buckets == 1 ? 0UL : (unsigned long)buckets, 0UL, 0UL))
		own_fail("hash: the kernel refuses %ld buckets: a power of two, and Linux 6.17",
			 buckets);
}

static void setup_hash(struct own_run *run)
{
	struct hash *hash = own_allocate(1, sizeof(*hash));
	size_t bytes;

	if (run->arguments[1] < 1 || run->arguments[2] > 100)
		own_fail("hash: at least one word, at most 100 per cent");
	run->thread_count = (unsigned)run->arguments[0];
	hash->words_per_thread = (size_t)run->arguments[1];
	hash->private_flag = run->arguments[3] ? 0 : FUTEX_PRIVATE_FLAG;
	bytes = run->thread_count * hash->words_per_thread * sizeof(*hash->words);
	hash->words = run->arguments[3] ? own_allocate_shared(1, bytes) : own_allocate(1, bytes);
	set_buckets(run->arguments[4]);
	run->state = hash;
}

/* A wait that matches has a deadline in the past: it queues itself, and returns at once. */
static void thread_hash(struct own_run *run, struct own_thread *self)
{
	static const struct timespec past = {.tv_nsec = 1};
	struct hash *hash = run->state;
	atomic_uint *words = hash->words + self->index * hash->words_per_thread;
	const uint64_t mismatches = (uint64_t)run->arguments[2];
	const int operation = FUTEX_WAIT_BITSET | hash->private_flag;

	while (!own_stopping(run)) {
		for (size_t i = 0; i < hash->words_per_thread && !own_stopping(run); i++) {
			unsigned expected = own_random(self) % 100 < mismatches ? 1234 : 0;
			uint64_t started = own_sample_begin(self);

			futex(&words[i], operation, expected, &past);
			own_sample_end(self, started);
			own_count(self, 1);
		}
	}
}

const struct own_workload own_workload_hash = {
    .name = "hash",
    .usage = "N [WORDS [MISMATCH [SHARED [BUCKETS]]]]",
    .help =
	"FUTEX_WAIT on WORDS words a thread; MISMATCH per cent find a changed word, the others\n"
	"      queue and time out at once; SHARED 1: no private futexes; BUCKETS of the private\n"
	"      hash (0: as is, 1: the global hash)",
    .required = 1,
    .arguments = 5,
    .defaults = {0, 1024, 100, 0, 0},
    .kernel = true,
    .setup = setup_hash,
    .thread = thread_hash,
};

static void setup_timer(struct own_run *run)
{
	run->thread_count = 1;
	run->state = own_allocate(1, sizeof(atomic_uint));
}

static void thread_timer(struct own_run *run, struct own_thread *self)
{
	const struct timespec timeout = {.tv_sec = run->arguments[0] / 1000000,
					 .tv_nsec = run->arguments[0] % 1000000 * 1000};

	for (long i = 0; i < run->arguments[1] && !own_stopping(run); i++) {
		futex(run->state, FUTEX_WAIT_PRIVATE, 0, &timeout);
		own_count(self, 1);
	}
}

const struct own_workload own_workload_timer = {
    .name = "timer",
    .usage = "[MICROSECONDS [COUNT]]",
    .help = "COUNT waits that match and time out after MICROSECONDS: look at ns/op and switches",
    .arguments = 2,
    .defaults = {100, 20000},
    .alone = true,
    .kernel = true,
    .seconds = 60,
    .setup = setup_timer,
    .thread = thread_timer,
};

static void setup_bounce(struct own_run *run)
{
	run->thread_count = 2;
	run->state = own_allocate(1, sizeof(atomic_uint));
}

static void thread_bounce(struct own_run *run, struct own_thread *self)
{
	atomic_uint *turn = run->state;

	while (!own_stopping(run)) {
		while (atomic_load(turn) != self->index && !own_stopping(run))
			futex(turn, FUTEX_WAIT_PRIVATE, !self->index, NULL);
		atomic_store(turn, !self->index);
		futex(turn, FUTEX_WAKE_PRIVATE, 1, NULL);
		own_count(self, 1);
	}
}

static void wake_bounce(struct own_run *run)
{
	futex(run->state, FUTEX_WAKE_PRIVATE, 2, NULL);
}

const struct own_workload own_workload_bounce = {
    .name = "bounce",
    .usage = "",
    .help = "two threads bounce one futex word, each by wake and wait",
    .kernel = true,
    .setup = setup_bounce,
    .thread = thread_bounce,
    .wake = wake_bounce,
};
