/* What a wait may spend before it parks: the plan, for threads that run where the test says. */
#include "core/spin.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "core/mutex.h"
#include "core/thread_life.h"
#include "one_cpu.h"
#include "sys/clock.h"

static struct own_mutex mutex;
static struct own_park park;

/* One CPU, so that it stays the same between two questions. */
static int setup(void **state)
{
	(void)state;
	if (check_stay_on_one_cpu() != 0)
		return -1;
	memset(&mutex, 0, sizeof(mutex));
	own_option_values[OWN_OPTION_spin] = 1;
	own_thread_attach();
	return 0;
}

/* Plans as a thread that has just looked at its schedule and seen two CPUs. */
static void plan(bool realtime, uint16_t owners_cpu)
{
	uint64_t looked;

	own_store_relaxed(&mutex.cpu, owners_cpu);
	do {
		looked = own_ticks();
		own_self.schedule_checked = looked;
		own_self.cpus = 2;
		own_self.parallel = true;
		own_self.realtime = realtime;
		own_spin_plan_mutex(&park, &mutex);
	} while (own_self.schedule_checked != looked); /* it grew old, and the truth was asked */
}

static void need_a_place_to_spin(void)
{
	/* Under a tight quota nobody spins at all; without rseq nobody knows the owner's CPU. */
	if (own_cpu_quota_below_two() || own_cpu_mark() == 0)
		skip();
}

static void an_ordinary_waiter_spins_and_looks(void **state)
{
	(void)state;
	need_a_place_to_spin();
	plan(false, (uint16_t)(own_cpu_mark() + 1));
	assert_true(park.spin_ticks > 0);
	assert_true(park.yields > 0);
	assert_true(park.last_look_ticks > 0);
}

static void a_realtime_waiter_looks_once_if_the_owner_is_elsewhere(void **state)
{
	(void)state;
	need_a_place_to_spin();
	plan(true, (uint16_t)(own_cpu_mark() + 1));
	assert_int_equal(park.spin_ticks, 0);
	assert_true(park.last_look_ticks > 0);
	/* Never for long: the owner may have been moved here meanwhile. */
	assert_true(own_ticks_to_ns(park.last_look_ticks) <= 10000);
}

static void nobody_looks_where_the_owner_took_it_on_the_same_cpu(void **state)
{
	(void)state;
	need_a_place_to_spin();
	for (int realtime = 0; realtime < 2; realtime++) {
		plan(realtime, own_cpu_mark());
		assert_int_equal(park.spin_ticks, 0);
		assert_int_equal(park.last_look_ticks, 0);
	}
}

static unsigned plans_that_spin(void)
{
	unsigned spin = 0;

	for (int i = 0; i < 160; i++) {
		plan(false, (uint16_t)(own_cpu_mark() + 1));
		spin += park.spin_ticks > 0;
	}
	return spin;
}

static void spins_in_the_queue_are_learnt_apart(void **state)
{
	(void)state;
	need_a_place_to_spin();
	assert_int_equal(plans_that_spin(), 160);
	for (int i = 0; i < 1000; i++) {
		own_spin_learn_mutex(&mutex, OWN_SPIN_QUEUED, true);
		own_spin_learn_mutex(&mutex, OWN_SPIN_FIRST, false);
	}
	assert_in_range(plans_that_spin(), 0, 80);
	for (int i = 0; i < 1000; i++)
		own_spin_learn_mutex(&mutex, OWN_SPIN_FIRST, true);
	for (int i = 0; i < 1000; i++)
		own_spin_learn_mutex(&mutex, OWN_SPIN_QUEUED, false);
	assert_int_equal(plans_that_spin(), 160);
}

static void growth_is_counted_across_the_greatest_count(void **state)
{
	(void)state;
	assert_int_equal(own_spin_growth(7, 7, 1000), 0);
	assert_int_equal(own_spin_growth(7, 12, 1000), 5);
	assert_int_equal(own_spin_growth(UINT32_MAX - 1, 3, 1000), 5);
	assert_int_equal(own_spin_growth(0, 1000, 1000), 1000);
}

static void another_threads_count_is_not_taken_for_growth(void **state)
{
	(void)state;
	assert_int_equal(own_spin_growth(7, 7 + 1001, 1000), 0);
	assert_int_equal(own_spin_growth(7, 6, 1000), 0);
	assert_int_equal(own_spin_growth(1, 0, 1000000000), 0); /* a recursive one, released */
	assert_int_equal(own_spin_growth(0, UINT32_C(0x80000000), 1000000000), 0);
}

static void *first_count(void *unused)
{
	(void)unused;
	own_mutex_taken(&mutex);
	return (void *)(uintptr_t)own_load_relaxed(&mutex.count);
}

/* Further than anybody spins, in either direction. */
static void threads_begin_to_count_far_from_each_other(void **state)
{
	uint64_t spin = own_ns_to_ticks(100000);
	uint32_t counts[32];

	(void)state;
	for (int i = 0; i < 32; i++) {
		pthread_t thread;
		void *count;

		assert_int_equal(pthread_create(&thread, NULL, first_count, NULL), 0);
		assert_int_equal(pthread_join(thread, &count), 0);
		counts[i] = (uint32_t)(uintptr_t)count;
		for (int j = 0; j < i; j++) {
			assert_int_equal(own_spin_growth(counts[i], counts[j], spin), 0);
			assert_int_equal(own_spin_growth(counts[j], counts[i], spin), 0);
		}
	}
}

static void the_count_after_a_wait_is_the_threads_own(void **state)
{
	uint32_t count;

	(void)state;
	own_mutex_taken(&mutex);
	own_store_relaxed(&mutex.count, own_self.taken + 100);
	count = own_spin_count(&mutex);
	assert_int_equal(count, own_self.taken);
	own_mutex_taken(&mutex);
	assert_int_equal(own_load_relaxed(&mutex.count), count + 1);
}

static void looks_that_found_the_line_here_tell_no_way(void **state)
{
	uint16_t far = (uint16_t)own_ns_to_ticks(200);

	(void)state;
	assert_int_equal(own_spin_travel(0, own_ns_to_ticks(5)), 0);
	assert_int_equal(own_spin_travel(0, own_ns_to_ticks(200)), far);
	assert_int_equal(own_spin_travel(far, own_ns_to_ticks(5)), far);
	assert_int_equal(own_spin_travel(far, own_ns_to_ticks(100000)), far);
	for (int i = 0; i < 100; i++)
		far = own_spin_travel(far, own_ns_to_ticks(40));
	assert_in_range(far, own_ns_to_ticks(35), own_ns_to_ticks(45));
}

static int by_size(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one;
	uint64_t b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* How long a waiter without yields tries for a mutex that stays locked, at the median. */
static uint64_t tries_for_ns(uint64_t travel_ns)
{
	uint64_t tries[99];

	for (int i = 0; i < 99; i++) {
		uint64_t start;

		plan(false, (uint16_t)(own_cpu_mark() + 1));
		own_store_relaxed(&mutex.spin, 0);
		own_self.travel = (uint16_t)own_ns_to_ticks(travel_ns); /* looks tell another way */
		start = own_ticks();
		assert_false(own_spin_lock(&mutex, false));
		tries[i] = own_ticks_to_ns(own_ticks() - start);
	}
	qsort(tries, 99, sizeof(tries[0]), by_size);
	return tries[50];
}

static void waits_are_patient_where_lines_travel_far(void **state)
{
	long yields = own_option(OWN_OPTION_spin_yields);

	(void)state;
	need_a_place_to_spin();
	own_option_values[OWN_OPTION_spin_yields] = 0;
	own_spin_start(); /* one CPU, after setup */
	own_store_relaxed(&mutex.word, OWN_LOCKED);
	assert_true(tries_for_ns(300) >= 4 * 300);
	own_option_values[OWN_OPTION_spin_yields] = yields;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(an_ordinary_waiter_spins_and_looks, setup),
	    cmocka_unit_test_setup(a_realtime_waiter_looks_once_if_the_owner_is_elsewhere, setup),
	    cmocka_unit_test_setup(nobody_looks_where_the_owner_took_it_on_the_same_cpu, setup),
	    cmocka_unit_test_setup(spins_in_the_queue_are_learnt_apart, setup),
	    cmocka_unit_test(growth_is_counted_across_the_greatest_count),
	    cmocka_unit_test(another_threads_count_is_not_taken_for_growth),
	    cmocka_unit_test_setup(threads_begin_to_count_far_from_each_other, setup),
	    cmocka_unit_test(looks_that_found_the_line_here_tell_no_way),
	    cmocka_unit_test_setup(waits_are_patient_where_lines_travel_far, setup),
	    cmocka_unit_test_setup(the_count_after_a_wait_is_the_threads_own, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
