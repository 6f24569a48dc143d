#include "core/parker_slab.h"

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

/*
 * The buckets of a table of 64 that fall together in one of 16, the smallest that the kernel makes
 * by itself: i, i + 16, i + 32 and i + 48. A line each, for a new thread's first wait finds none of
 * it in the cache.
 */
#define CLASSES	      16
#define CLASS_BUCKETS (OWN_PARKER_BUCKETS / CLASSES)

struct bucket_class {
	_Alignas(OWN_CACHELINE) _Atomic uint64_t free_heads[CLASS_BUCKETS];
	_Atomic uint32_t in_use[CLASS_BUCKETS];
};

static struct bucket_class classes[CLASSES];
static _Alignas(OWN_CACHELINE) _Atomic uint32_t class_in_use[CLASSES];

static _Atomic uint64_t *free_head(uint32_t bucket)
{
	return &classes[bucket % CLASSES].free_heads[bucket / CLASSES];
}

/* One parker of the bucket more is in use; with UINT32_MAX, one less. */
static void count_in_use(uint32_t bucket, uint32_t add)
{
	own_fetch_add_relaxed(&class_in_use[bucket % CLASSES], add);
	own_fetch_add_relaxed(&classes[bucket % CLASSES].in_use[bucket / CLASSES], add);
}

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
	_Atomic uint64_t *head = free_head(parker->bucket);
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
	_Atomic uint64_t *head = free_head(bucket);
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

/*
 * A free parker of the class: of its four buckets from the one with the fewest in use, as a table
 * of 32 has them, then one of 64.
 */
static struct own_parker *pop_of_class(uint32_t class)
{
	uint32_t untried = (1u << CLASS_BUCKETS) - 1;

	while (untried != 0) {
		uint64_t least = UINT64_MAX;
		uint32_t best = 0;
		struct own_parker *parker;

		for (uint32_t i = 0; i < CLASS_BUCKETS; i++) {
			/* relaxed, as below: an old count costs a place not quite the best */
			uint64_t count = own_load_relaxed(&classes[class].in_use[i]);
			uint64_t other = own_load_relaxed(&classes[class].in_use[i ^ 2]);
			uint64_t order = (count + other) << 32 | count;

			if (untried >> i & 1 && order < least) {
				least = order;
				best = i;
			}
		}
		parker = pop(class + best * CLASSES);
		if (parker)
			return parker;
		untried &= ~(1u << best);
	}
	return NULL;
}

/*
 * From the bucket with the fewest parkers in use of those that have a free one: the smallest table
 * first, for who differs there differs in the larger ones too. Unless `any` is good enough: NULL
 * when that is one in which clearly more are in use than in the best.
 */
static struct own_parker *take_free(bool any)
{
	uint32_t untried = (1u << CLASSES) - 1;
	uint32_t most = UINT32_MAX;

	while (untried != 0) {
		uint32_t best = 0;
		uint32_t least = UINT32_MAX;
		struct own_parker *parker;

		for (uint32_t i = 0; i < CLASSES; i++) {
			uint32_t count = own_load_relaxed(&class_in_use[i]);

			if (untried >> i & 1 && count < least) {
				least = count;
				best = i;
			}
		}
		if (!any && most == UINT32_MAX)
			most = least + least / TOLERATED_SHARE;
		if (least > most)
			return NULL;
		parker = pop_of_class(best);
		if (parker) {
			count_in_use(parker->bucket, 1);
			return parker;
		}
		untried &= ~(1u << best);
	}
	return NULL;
}

/* Else parkers that all fell into one bucket would take memory without end. */
static bool may_grow_for_spread(void)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < CLASSES; i++)
		total += own_load_relaxed(&class_in_use[i]);
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
		count_in_use(parker->bucket, UINT32_MAX);
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
		own_store_relaxed(free_head(i),
				  (own_load_relaxed(free_head(i)) & ~INDEX_MASK) + COUNT_ONE);
		own_store_relaxed(&classes[i % CLASSES].in_use[i / CLASSES], 0);
		own_store_relaxed(&class_in_use[i % CLASSES], 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct own_parker *slab = own_load_relaxed(&slabs[i]);

		for (uint32_t j = 0; slab && j < SLAB_PARKERS; j++) {
			/* A fork may have cut short the thread that filled this slab. */
			slab[j].index = i * SLAB_PARKERS + j;
			slab[j].bucket =
			    (uint8_t)own_futex_bucket(&slab[j].word, OWN_PARKER_BUCKETS);
			if (keep(&slab[j]))
				count_in_use(slab[j].bucket, 1);
			else
				(void)push(&slab[j], own_generation_now());
		}
	}
}
