/*
 * futex_wait and futex_wake as the kernel does them, in the order in which they touch shared lines,
 * and the ways that were proposed to do it otherwise.
 */
#include <string.h>

#include "kernel/model/sim.h"

/* Share of a call's own time before it comes to the bucket; the rest follows. */
#define ENTRY_SHARE 0.6
#define PAGE_BYTES  4096
#define WORD_BYTES  4

#define KERNEL_2014 .lock = LOCK_BUCKET, .counts_waiters = true
#define KERNEL_2025 KERNEL_2014, .back_pointer = true

const struct model_design model_designs[] = {
    {.name = "global2003",
     .help = "one lock for all buckets, taken by every call",
     .lock = LOCK_GLOBAL,
     .layout = LAYOUT_PACKED},
    {.name = "packed2003",
     .help = "fix E: a lock per bucket, several buckets on a line",
     .lock = LOCK_BUCKET,
     .layout = LAYOUT_PACKED},
    {.name = "aligned2003",
     .help = "fix E, each bucket on a line of its own",
     .lock = LOCK_BUCKET,
     .layout = LAYOUT_TOGETHER},
    {KERNEL_2014, .name = "bucket",
     .help = "Linux 3.14 to 6.15: waiters counted, a line per bucket", .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "global-hash", .help = "Linux 6.17 to 7.1 with the global hash",
     .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "numa-hash", .help = "FUTEX2_NUMA: a part of the global hash per node",
     .layout = LAYOUT_TOGETHER, .per_node = true},
    {KERNEL_2025, .name = "private-shared-refs",
     .help = "fix C, first series: private hash, one count of its users", .refs = REFS_SHARED,
     .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "private",
     .help = "fix C as in Linux 6.17: private hash, users counted per CPU", .refs = REFS_PER_CPU,
     .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "private-apart",
     .help = "fix D: lock and chain head (with the back pointer) on two lines",
     .refs = REFS_PER_CPU, .layout = LAYOUT_APART},
    {KERNEL_2014, .name = "private-lean", .help = "fix D as in Linux 7.2: no back pointer",
     .refs = REFS_PER_CPU, .layout = LAYOUT_TOGETHER},
    {KERNEL_2014, .name = "global-lean", .help = "the global hash of Linux 7.2",
     .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "precheck",
     .help = "fix A on `private`: compare the word before anything else", .refs = REFS_PER_CPU,
     .check = CHECK_BEFORE, .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "precheck-global", .help = "fix A on `global-hash`",
     .check = CHECK_BEFORE, .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "trylock",
     .help = "fix B on `private`: compare the word only if the bucket lock is taken",
     .refs = REFS_PER_CPU, .check = CHECK_TRYLOCK, .layout = LAYOUT_TOGETHER},
    {KERNEL_2025, .name = "ownline",
     .help = "`private` under ownline's locks: a word per thread, looked at before waiting",
     .refs = REFS_PER_CPU, .layout = LAYOUT_TOGETHER, .user = USER_OWNLINE},
};
const unsigned model_design_count = sizeof(model_designs) / sizeof(model_designs[0]);

const struct model_design *model_find_design(const char *name)
{
	for (unsigned i = 0; i < model_design_count; i++) {
		if (strcmp(model_designs[i].name, name) == 0)
			return &model_designs[i];
	}
	return NULL;
}

/* A shared futex is known by its page, which is held while its key is made. */
static void make_key(struct run *run, struct thread *thread, uint64_t address)
{
	struct line *page;

	if (run->p.shared == 0 || !run->pages)
		return;
	page = &run->pages[address * WORD_BYTES / PAGE_BYTES];
	sim_line(thread, STEP_CHANGE, page);
	sim_compute(thread, run->p.shared_ns);
	sim_line(thread, STEP_CHANGE, page);
}

static void enter_hash(struct run *run, struct thread *thread, struct bucket *bucket)
{
	if (run->design->refs == REFS_SHARED)
		sim_line(thread, STEP_CHANGE, &run->refs_line);
	else if (run->design->refs == REFS_PER_CPU)
		sim_compute(thread, run->p.hit_ns);
	if (run->design->back_pointer)
		sim_line(thread, STEP_READ, bucket->head_line);
}

static void leave_hash(struct run *run, struct thread *thread, struct bucket *bucket)
{
	if (run->design->back_pointer)
		sim_line(thread, STEP_READ, bucket->head_line);
	if (run->design->refs == REFS_SHARED)
		sim_line(thread, STEP_CHANGE, &run->refs_line);
	else if (run->design->refs == REFS_PER_CPU)
		sim_compute(thread, run->p.hit_ns);
}

/* Returns the step that leaves on a mismatch. */
static unsigned read_word(struct run *run, struct thread *thread)
{
	sim_compute(thread, run->p.user_ns);
	if (thread->word_line)
		sim_line(thread, STEP_READ, thread->word_line);
	return sim_add(thread, STEP_CHECK);
}

/* Returns the step that leaves on a mismatch, without the lock; 0 if there is none. */
static unsigned take_lock(struct run *run, struct thread *thread, struct bucket *bucket)
{
	unsigned attempt, leave, have;

	if (run->design->check != CHECK_TRYLOCK) {
		sim_bucket(thread, STEP_LOCK, bucket);
		return 0;
	}
	attempt = sim_bucket(thread, STEP_TRYLOCK, bucket);
	have = sim_add(thread, STEP_JUMP);
	sim_target_here(thread, attempt);
	leave = read_word(run, thread);
	sim_bucket(thread, STEP_LOCK, bucket);
	sim_target_here(thread, have);
	return leave;
}

static void wait_queued(struct run *run, struct thread *thread, struct bucket *bucket,
			bool may_sleep)
{
	sim_bucket(thread, STEP_QUEUE, bucket);
	sim_bucket(thread, STEP_UNLOCK, bucket);
	if (may_sleep) {
		sim_add(thread, STEP_SLEEP);
		return;
	}
	/* Its deadline has passed already. */
	sim_compute(thread, run->p.queue_ns);
	sim_bucket(thread, STEP_LOCK, bucket);
	sim_bucket(thread, STEP_UNQUEUE, bucket);
	sim_bucket(thread, STEP_UNLOCK, bucket);
	if (run->design->counts_waiters)
		sim_bucket(thread, STEP_UNCOUNT, bucket);
}

void futex_wait_steps(struct run *run, struct thread *thread, uint64_t address, bool may_sleep)
{
	struct bucket *bucket = sim_bucket_of(run, address);
	const double own = run->p.call_ns - run->p.user_ns;
	unsigned before = 0, unlocked, locked, end;

	sim_compute(thread, ENTRY_SHARE * own);
	make_key(run, thread, address);
	if (run->design->check == CHECK_BEFORE)
		before = read_word(run, thread);
	enter_hash(run, thread, bucket);
	if (run->design->counts_waiters)
		sim_bucket(thread, STEP_COUNT, bucket);
	unlocked = take_lock(run, thread, bucket);
	locked = read_word(run, thread);
	wait_queued(run, thread, bucket, may_sleep);
	leave_hash(run, thread, bucket);
	sim_compute(thread, (1 - ENTRY_SHARE) * own);
	sim_add(thread, STEP_MATCHED);
	end = sim_add(thread, STEP_JUMP);

	sim_target_here(thread, locked);
	sim_bucket(thread, STEP_UNLOCK, bucket);
	if (unlocked)
		sim_target_here(thread, unlocked);
	if (run->design->counts_waiters)
		sim_bucket(thread, STEP_UNCOUNT, bucket);
	leave_hash(run, thread, bucket);
	if (before)
		sim_target_here(thread, before);
	sim_compute(thread, (1 - ENTRY_SHARE) * own);
	sim_add(thread, STEP_MISMATCH);
	sim_target_here(thread, end);
}

void futex_wake_steps(struct run *run, struct thread *thread, uint64_t address)
{
	struct bucket *bucket = sim_bucket_of(run, address);
	const double own = run->p.call_ns - run->p.user_ns;
	/* Until 2015 a thread was made runnable with the lock held. */
	const bool early = !run->design->counts_waiters;
	unsigned pending = 0;

	sim_compute(thread, ENTRY_SHARE * own);
	make_key(run, thread, address);
	enter_hash(run, thread, bucket);
	if (run->design->counts_waiters)
		pending = sim_bucket(thread, STEP_PENDING, bucket);
	sim_bucket(thread, STEP_LOCK, bucket);
	sim_bucket(thread, STEP_TAKE, bucket);
	if (early)
		sim_add(thread, STEP_WAKE);
	sim_bucket(thread, STEP_UNLOCK, bucket);
	if (!early)
		sim_add(thread, STEP_WAKE);
	if (pending)
		sim_target_here(thread, pending);
	leave_hash(run, thread, bucket);
	sim_compute(thread, (1 - ENTRY_SHARE) * own);
}
