/* What is recorded of the kernel's futex hash, and how waits that share a bucket are counted. */
#include "core/buckets.h"
#include "fake_hash.h"
#include "stats/counters.h"
#include "stats/hash_state.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint32_t words[2 * OWN_BUCKETS];
static struct own_counters counters;

static uint64_t known(void)
{
	return own_load_relaxed(&counters.bucket_known);
}

static uint64_t shared(void)
{
	return own_load_relaxed(&counters.bucket_shared);
}

static void set_slots(uint32_t slots)
{
	memset(&counters, 0, sizeof(counters));
	own_store_relaxed(&own_stats_segment()->futex_slots, slots);
}

static void without_a_private_hash_nothing_is_predicted(void **state)
{
	static const uint32_t states[] = {OWN_HASH_NONE, OWN_HASH_GLOBAL, OWN_HASH_MISSING,
					  OWN_HASH_UNKNOWN};

	(void)state;
	for (size_t i = 0; i < own_array_size(states); i++) {
		set_slots(states[i]);
		assert_int_equal(own_buckets_enter(&words[0]).place, OWN_NO_BUCKET);
		own_buckets_leave(own_buckets_enter(&words[0]), &counters);
		assert_int_equal(known(), 0);
		assert_int_equal(shared(), 0);
	}
}

static void a_wait_is_shared_while_another_stands_in_its_bucket(void **state)
{
	struct own_bucket_visit first, second, third;

	(void)state;
	set_slots(16);
	first = own_buckets_enter(&words[0]);
	second = own_buckets_enter(&words[1]);
	third = own_buckets_enter(&words[16]); /* the bucket of words[0] */
	assert_false(first.shared || second.shared);
	assert_true(third.shared);
	own_buckets_leave(first, &counters);
	first = own_buckets_enter(&words[32]);
	assert_true(first.shared);
	assert_int_equal(shared(), 0); /* whoever still waits has yet to be counted */
	own_buckets_leave(first, &counters);
	own_buckets_leave(third, &counters);
	own_buckets_leave(second, &counters);
	own_buckets_leave(own_buckets_enter(&words[0]), &counters);
	own_buckets_leave(own_buckets_enter(&words[1]), &counters);
	assert_int_equal(shared(), 2);
	assert_int_equal(known(), 6);
}

static void a_wait_leaves_the_place_that_it_took(void **state)
{
	struct own_bucket_visit visit;

	(void)state;
	set_slots(16);
	visit = own_buckets_enter(&words[17]);
	set_slots(32); /* the kernel's table grew meanwhile */
	own_buckets_leave(visit, &counters);
	for (unsigned i = 0; i < 32; i++)
		own_buckets_leave(own_buckets_enter(&words[i]), &counters);
	assert_int_equal(shared(), 0);
}

static void each_bucket_is_counted_apart(void **state)
{
	static struct own_bucket_visit visits[OWN_BUCKETS];

	(void)state;
	for (uint32_t slots = 2; slots <= OWN_BUCKETS; slots *= 2) {
		set_slots(slots);
		for (uint32_t i = 0; i < slots; i++)
			visits[i] = own_buckets_enter(&words[i]);
		assert_int_equal(shared(), 0);
		for (uint32_t i = 0; i < slots; i++)
			own_buckets_leave(own_buckets_enter(&words[i]), &counters);
		assert_int_equal(shared(), slots);
		for (uint32_t i = 0; i < slots; i++)
			own_buckets_leave(visits[i], &counters);
	}
}

static void larger_tables_are_looked_at_modulo(void **state)
{
	struct own_bucket_visit visit;

	(void)state;
	set_slots(1 << 24);
	visit = own_buckets_enter(&words[3]);
	own_buckets_leave(own_buckets_enter(&words[3 + OWN_BUCKETS]), &counters);
	assert_int_equal(shared(), 1);
	own_buckets_leave(visit, &counters);
}

static void a_child_starts_with_nobody_there(void **state)
{
	(void)state;
	set_slots(16);
	for (uint32_t i = 0; i < 16; i++)
		(void)own_buckets_enter(&words[i]);
	own_buckets_after_fork();
	for (uint32_t i = 0; i < 16; i++)
		own_buckets_leave(own_buckets_enter(&words[i]), &counters);
	assert_int_equal(shared(), 0);
}

static uint32_t look(struct own_segment *segment, int slots, bool global)
{
	fake_hash_slots = slots;
	errno = 4711;
	own_hash_state_look(segment, global);
	assert_int_equal(errno, 4711);
	return own_load_relaxed(&segment->futex_slots);
}

static void what_the_kernel_says_is_recorded(void **state)
{
	struct own_segment *segment = own_stats_segment();

	(void)state;
	set_slots(0);
	assert_int_equal(look(segment, 0, false), OWN_HASH_NONE);
	assert_int_equal(own_hash_state_slots(segment), 0);
	assert_int_equal(look(segment, 16, false), 16);
	assert_int_equal(own_hash_state_slots(segment), 16);
	assert_int_equal(look(segment, 1 << 24, false), 1 << 24);
	assert_int_equal(own_hash_state_slots(segment), 1 << 24);
	assert_int_equal(look(segment, -EINVAL, false), OWN_HASH_MISSING);
	assert_int_equal(own_hash_state_slots(segment), 0);
	assert_int_equal(look(segment, -EPERM, false), OWN_HASH_UNKNOWN);
	assert_int_equal(own_hash_state_slots(segment), 0);
}

static void the_global_hash_stays(void **state)
{
	struct own_segment *segment = own_stats_segment();

	(void)state;
	set_slots(0);
	assert_int_equal(look(segment, 0, true), OWN_HASH_GLOBAL);
	assert_int_equal(look(segment, 0, false), OWN_HASH_GLOBAL);
	assert_int_equal(own_hash_state_slots(segment), 0);
}

static void *look_from_a_thread(void *segment)
{
	return (void *)(uintptr_t)look(segment, 0, false);
}

static void *wait_for_end(void *pipe_end)
{
	char byte;

	return read(*(int *)pipe_end, &byte, 1) == 0 ? NULL : pipe_end;
}

/* Whoever has threads and no table of its own is on the global one. */
static void threads_without_a_table_are_on_the_global_one(void **state)
{
	struct own_segment *segment = own_stats_segment();
	pthread_t thread;
	void *seen;
	int ends[2];

	(void)state;
	set_slots(0);
	assert_int_equal(pthread_create(&thread, NULL, look_from_a_thread, segment), 0);
	assert_int_equal(pthread_join(thread, &seen), 0);
	assert_int_equal((uintptr_t)seen, OWN_HASH_GLOBAL);

	set_slots(0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &ends[0]), 0);
	assert_int_equal(look(segment, 0, false), OWN_HASH_GLOBAL);
	close(ends[1]);
	assert_int_equal(pthread_join(thread, &seen), 0);
	assert_null(seen);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_the_kernel_says_is_recorded),
	    cmocka_unit_test(the_global_hash_stays),
	    cmocka_unit_test(threads_without_a_table_are_on_the_global_one),
	    cmocka_unit_test(without_a_private_hash_nothing_is_predicted),
	    cmocka_unit_test(a_wait_is_shared_while_another_stands_in_its_bucket),
	    cmocka_unit_test(a_wait_leaves_the_place_that_it_took),
	    cmocka_unit_test(each_bucket_is_counted_apart),
	    cmocka_unit_test(larger_tables_are_looked_at_modulo),
	    cmocka_unit_test(a_child_starts_with_nobody_there),
	};

	return cmocka_run_group_tests_name("buckets", tests, NULL, NULL);
}
