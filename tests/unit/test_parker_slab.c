/* Where parkers are placed in the kernel's hash, lucky or not, and that giving them back counts. */
#include "core/parker_slab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "core/fork.h"
#include "fake_hash.h"

#define SLAB 128 /* the first slab's parkers are hashed by the first calls */
#define MANY 600

static struct own_parker *parkers[MANY];

static void take(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		parkers[i] = own_parker_slab_take();
		if (!parkers[i])
			fail_msg("no parker %u", i);
	}
}

/* In how many buckets of a table of `slots` they are, and how many are in the fullest. */
static void spread(unsigned count, unsigned slots, unsigned *buckets, unsigned *fullest)
{
	unsigned used[OWN_PARKER_BUCKETS] = {0};

	*buckets = 0;
	*fullest = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned now = ++used[parkers[i]->bucket % slots];

		*buckets += now == 1;
		if (now > *fullest)
			*fullest = now;
	}
}

static void count_one(struct own_parker *parker, void *context)
{
	(void)parker;
	++*(unsigned *)context;
}

static unsigned existing(void)
{
	unsigned count = 0;

	own_parker_slab_visit(count_one, &count);
	return count;
}

static uint32_t scattered(unsigned call, const volatile void *word)
{
	(void)word;
	return (call + 1) * UINT32_C(0x9e3779b1) >> 7;
}

static uint32_t in_order(unsigned call, const volatile void *word)
{
	(void)word;
	return call;
}

static uint32_t first_slab_in_one_bucket(unsigned call, const volatile void *word)
{
	return call < SLAB ? 3 : scattered(call, word);
}

static uint32_t all_in_one_bucket(unsigned call, const volatile void *word)
{
	(void)call;
	(void)word;
	return 3;
}

/* Slabs are for ever: each test has a process of its own. */
static void in_child(void (*body)(void), uint32_t (*hash)(unsigned, const volatile void *))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fake_hash = hash;
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define expect(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_error("line %d: %s\n", __LINE__, #condition);                        \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void expect_no_two_of_16_share(void)
{
	unsigned buckets, fullest;

	for (unsigned count = 1; count <= 16; count++) {
		take(count);
		spread(count, 16, &buckets, &fullest);
		expect(buckets == count && fullest == 1);
		for (unsigned i = 0; i < count; i++)
			own_parker_slab_give(parkers[i], own_generation_now());
	}
}

static void sixteen_parkers_are_in_sixteen_buckets(void **state)
{
	(void)state;
	in_child(expect_no_two_of_16_share, scattered);
	in_child(expect_no_two_of_16_share, in_order);
}

static void also_when_the_first_slab_has_no_place_for_some(void **state)
{
	(void)state;
	in_child(expect_no_two_of_16_share, first_slab_in_one_bucket);
}

static void expect_64_in_64(void)
{
	unsigned buckets, fullest;

	take(64);
	for (unsigned slots = 16; slots <= 64; slots *= 2) {
		spread(64, slots, &buckets, &fullest);
		expect(buckets == slots && fullest == 64 / slots);
	}
	expect(existing() == SLAB);
}

static void larger_tables_are_used_up_too(void **state)
{
	(void)state;
	in_child(expect_64_in_64, in_order);
}

static void expect_even_spread_of_many(void)
{
	unsigned buckets, fullest;

	take(MANY);
	spread(MANY, 16, &buckets, &fullest);
	expect(buckets == 16);
	expect(fullest <= MANY / 16 + MANY / 16 / 8 + 1);
	expect(existing() <= 2 * (MANY + SLAB));
}

static void many_are_spread_evenly(void **state)
{
	(void)state;
	in_child(expect_even_spread_of_many, scattered);
}

static void expect_the_freed_bucket_to_be_taken(void)
{
	unsigned freed;

	take(32);
	freed = parkers[7]->bucket % 16;
	own_parker_slab_give(parkers[7], own_generation_now());
	for (unsigned i = 0; i < 10; i++) {
		struct own_parker *parker = own_parker_slab_take();

		expect(parker && parker->bucket % 16 == freed);
		own_parker_slab_give(parker, own_generation_now());
	}
}

static void a_parker_given_back_leaves_its_bucket(void **state)
{
	(void)state;
	in_child(expect_the_freed_bucket_to_be_taken, scattered);
}

static void expect_parkers_and_a_bound_on_memory(void)
{
	take(MANY);
	for (unsigned i = 1; i < MANY; i++)
		expect(parkers[i] != parkers[i - 1]);
	expect(existing() <= 2 * MANY + 6 * SLAB);
}

static void bad_luck_costs_neither_parkers_nor_much_memory(void **state)
{
	(void)state;
	in_child(expect_parkers_and_a_bound_on_memory, all_in_one_bucket);
}

static bool keep_some(const struct own_parker *parker)
{
	for (unsigned i = 0; i < 8; i++) {
		if (parker == parkers[i])
			return true;
	}
	return false;
}

/* As in a fork child: those that stay in use keep their places, the others are free again. */
static void expect_the_other_eight_buckets(void)
{
	unsigned buckets, fullest;

	take(40);
	own_parker_slab_rebuild(keep_some);
	for (unsigned i = 8; i < 16; i++)
		parkers[i] = own_parker_slab_take();
	spread(16, 16, &buckets, &fullest);
	expect(buckets == 16 && fullest == 1);
}

static void a_rebuild_knows_which_buckets_are_in_use(void **state)
{
	(void)state;
	in_child(expect_the_other_eight_buckets, scattered);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sixteen_parkers_are_in_sixteen_buckets),
	    cmocka_unit_test(also_when_the_first_slab_has_no_place_for_some),
	    cmocka_unit_test(larger_tables_are_used_up_too),
	    cmocka_unit_test(many_are_spread_evenly),
	    cmocka_unit_test(a_parker_given_back_leaves_its_bucket),
	    cmocka_unit_test(bad_luck_costs_neither_parkers_nor_much_memory),
	    cmocka_unit_test(a_rebuild_knows_which_buckets_are_in_use),
	};

	return cmocka_run_group_tests_name("parker_slab", tests, NULL, NULL);
}
