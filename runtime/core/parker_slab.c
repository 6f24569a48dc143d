#include "core/parker_slab.h"

#include <string.h>
#include <sys/mman.h>

#include "core/fork.h"
#include "sys/delay.h"
#include "sys/futex_hash.h"
#include "sys/call.h"

#define SLAB_PARKERS 128
#define SLABS_MAX    4096

/*
 * Memory for an even spread: a slab more rather than a bucket with an eighth more in it than the
 * emptiest. One slab is hardly ever without a parker for some bucket, four never are.
 */
#define TOLERATED_SHARE 8
#define SPREAD_SLABS	4

/* A free list's head: the index of its first parker plus one, and a count against ABA above it. */
#define INDEX_MASK UINT64_C(0xffffffff)
#define COUNT_ONE  UINT64_C(0x100000000)

static struct own_parker first_slab[SLAB_PARKERS];
static struct own_parker *_Atomic slabs[SLABS_MAX];
static _Atomic uint32_t slab_count;
static _Atomic uint64_t free_heads[OWN_PARKER_BUCKETS];
static _Atomic uint32_t in_use[OWN_PARKER_BUCKETS];

static struct own_parker *parker_at(uint32_t index)
{
	/* (S-slab): the index came from a free list, behind the release that published the slab */
	return own_load_acquire(&slabs[index / SLAB_PARKERS]) + index % SLAB_PARKERS;
}

/*
 * False: a handler has forked since `generation` was read, and this is the child, where rebuild has
 * seen to the parker. A fork right before the swap makes it fail, since rebuild moves the count on.
 */
static bool push(struct own_parker *parker, uint32_t generation)
{
	_Atomic uint64_t *head = &free_heads[parker->bucket];
	uint64_t old = own_load_relaxed(head);
	uint64_t new;

	do {
		if (own_unlikely(own_generation_now() != generation))
			return false;
		own_store_relaxed(&parker->free_next, (uint32_t)(old & INDEX_MASK));
		new = ((old & ~INDEX_MASK) + COUNT_ONE) | (parker->index + 1);
		own_step("S-push before");
	} while (!own_cas_release(head, &old, new)); /* (S-push), pairs with (S-pop) */
	own_step("S-push done");
	return true;
}

static struct own_parker *pop(uint32_t bucket)
{
	_Atomic uint64_t *head = &free_heads[bucket];
	uint64_t old = own_load_acquire(head); /* (S-pop) */

	for (;;) {
		struct own_parker *parker;
		uint64_t new;

		if ((old & INDEX_MASK) == 0)
			return NULL;
		parker = parker_at((uint32_t)(old & INDEX_MASK) - 1);
		/* May be stale when another thread took the parker: then the count has moved on. */
		new = ((old & ~INDEX_MASK) + COUNT_ONE) | own_load_relaxed(&parker->free_next);
		own_step("S-pop before");
		if (own_cas_acq_rel(head, &old, new))
			return parker;
	}
}

static void fill(struct own_parker *slab, uint32_t first_index)
{
	for (uint32_t i = 0; i < SLAB_PARKERS; i++) {
		slab[i].index = first_index + i;
		slab[i].bucket = (uint8_t)own_futex_bucket(&slab[i].word, OWN_PARKER_BUCKETS);
	}
}

/*
 * A new slab for everybody. Several threads may add one each at the same time: memory that is used
 * a little later.
 */
static bool grow(void)
{
	uint32_t number = own_load_relaxed(&slab_count);
	struct own_parker *slab = first_slab;
	uint32_t generation;

	do {
		if (number >= SLABS_MAX)
			return false;
	} while (!own_cas_relaxed(&slab_count, &number, number + 1));
	if (number > 0) {
		long address =
		    own_syscall6(SYS_mmap, 0, (long)sizeof(first_slab), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (address < 0 && address > -4096) {
			/* The number is lost only if another thread took the next one meanwhile. */
			uint32_t taken = number + 1;

			(void)own_cas_relaxed(&slab_count, &taken, number);
			return false;
		}
		slab = (struct own_parker *)(uintptr_t)address;
	}
	fill(slab, number * SLAB_PARKERS);
	generation = own_generation_now();
	own_store_release(&slabs[number], slab); /* (S-slab) */
	for (uint32_t i = 0; i < SLAB_PARKERS && push(&slab[i], generation); i++)
		;
	return true;
}

/* Parkers in use in each bucket of a table of OWN_PARKER_BUCKETS, and of the two next smaller. */
struct usage {
	uint32_t of_64[OWN_PARKER_BUCKETS];
	uint32_t of_32[OWN_PARKER_BUCKETS / 2];
	uint32_t of_16[OWN_PARKER_BUCKETS / 4];
};

static void count_usage(struct usage *usage)
{
	memset(usage, 0, sizeof(*usage));
	for (uint32_t i = 0; i < OWN_PARKER_BUCKETS; i++) {
		/* relaxed: an old count costs a place that is not quite the best */
		uint32_t count = own_load_relaxed(&in_use[i]);

		usage->of_64[i] = count;
		usage->of_32[i % 32] += count;
		usage->of_16[i % 16] += count;
	}
}

/* The smallest tables first: who differs there differs in the larger ones too. */
static bool is_better(const struct usage *usage, uint32_t bucket, uint32_t than)
{
	if (usage->of_16[bucket % 16] != usage->of_16[than % 16])
		return usage->of_16[bucket % 16] < usage->of_16[than % 16];
	if (usage->of_32[bucket % 32] != usage->of_32[than % 32])
		return usage->of_32[bucket % 32] < usage->of_32[than % 32];
	return usage->of_64[bucket] < usage->of_64[than];
}

static uint32_t best_of(const struct usage *usage, uint64_t buckets)
{
	uint32_t best = (uint32_t)__builtin_ctzll(buckets);

	for (uint32_t i = best + 1; i < OWN_PARKER_BUCKETS; i++) {
		if (buckets >> i & 1 && is_better(usage, i, best))
			best = i;
	}
	return best;
}

/*
 * From the bucket with the fewest parkers in use of those that have a free one. Unless `any` is
 * good enough: NULL when that is one in which clearly more are in use than in the best.
 */
static struct own_parker *take_free(bool any)
{
	uint64_t untried = UINT64_MAX;
	struct usage usage;
	uint32_t most = UINT32_MAX;

	count_usage(&usage);
	if (!any) {
		most = usage.of_16[best_of(&usage, untried) % 16];
		most += most / TOLERATED_SHARE;
	}
	while (untried != 0) {
		uint32_t best = best_of(&usage, untried);
		struct own_parker *parker;

		if (usage.of_16[best % 16] > most)
			return NULL;
		parker = pop(best);
		if (parker) {
			own_fetch_add_relaxed(&in_use[best], 1);
			return parker;
		}
		untried &= ~(UINT64_C(1) << best);
	}
	return NULL;
}

/* Else parkers that all fell into one bucket would take memory without end. */
static bool may_grow_for_spread(void)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < OWN_PARKER_BUCKETS; i++)
		total += own_load_relaxed(&in_use[i]);
	return own_load_relaxed(&slab_count) < SPREAD_SLABS + 2 * (total / SLAB_PARKERS);
}

struct own_parker *own_parker_slab_take(void)
{
	struct own_parker *parker = take_free(false);

	while (!parker && may_grow_for_spread() && grow())
		parker = take_free(false);
	while (!parker) {
		parker = take_free(true);
		if (!parker && !grow())
			return NULL;
	}
	return parker;
}

void own_parker_slab_give(struct own_parker *parker, uint32_t generation)
{
	if (push(parker, generation))
		own_fetch_add_relaxed(&in_use[parker->bucket], UINT32_MAX); /* minus one */
}

void own_parker_slab_visit(void (*visit)(struct own_parker *parker, void *context), void *context)
{
	uint32_t count = own_load_relaxed(&slab_count);

	for (uint32_t i = 0; i < count; i++) {
		struct own_parker *slab = own_load_acquire(&slabs[i]);

		for (uint32_t j = 0; slab && j < SLAB_PARKERS; j++)
			visit(&slab[j], context);
	}
}

void own_parker_slab_rebuild(bool (*keep)(const struct own_parker *parker))
{
	uint32_t count = own_load_relaxed(&slab_count);

	for (uint32_t i = 0; i < OWN_PARKER_BUCKETS; i++) {
		/* Empty; its count moves on, so that no swap that a fork interrupted succeeds. */
		own_store_relaxed(&free_heads[i],
				  (own_load_relaxed(&free_heads[i]) & ~INDEX_MASK) + COUNT_ONE);
		own_store_relaxed(&in_use[i], 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct own_parker *slab = own_load_relaxed(&slabs[i]);

		for (uint32_t j = 0; slab && j < SLAB_PARKERS; j++) {
			/* A fork may have cut short the thread that filled this slab. */
			slab[j].index = i * SLAB_PARKERS + j;
			slab[j].bucket =
			    (uint8_t)own_futex_bucket(&slab[j].word, OWN_PARKER_BUCKETS);
			if (keep(&slab[j]))
				own_fetch_add_relaxed(&in_use[slab[j].bucket], 1);
			else
				(void)push(&slab[j], own_generation_now());
		}
	}
}
