/* Who rests at a condition variable, for threads whose waits begin and end when the test says. */
#include "core/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "core/mutex.h"
#include "core/thread_life.h"

static struct own_cond cond;
static struct own_mutex mutex;
static struct own_thread first, second; /* what own_self is while they run */
static uint64_t now;

static int setup(void **state)
{
	(void)state;
	memset(&cond, 0, sizeof(cond));
	memset(&mutex, 0, sizeof(mutex));
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	first.tid = second.tid = own_thread_id();
	second.taken = 1u << 20; /* each counts from a start of its own */
	now = UINT64_C(1) << 40;
	return 0;
}

/* The thread's wait is over; it works, or finds nothing to do, and waits again. True: it rests. */
static bool goes_on(struct own_thread *thread, bool works)
{
	bool rests;

	own_self = *thread;
	now += own_ns_to_ticks(1000);
	own_turns_end(&cond, &mutex);
	if (works)
		own_mutex_taken(&mutex); /* released meanwhile */
	rests = own_turns_begin(&cond, &mutex, now);
	*thread = own_self;
	return rests;
}

static bool waits(struct own_thread *thread)
{
	return goes_on(thread, false);
}

static bool works_and_waits(struct own_thread *thread)
{
	return goes_on(thread, true);
}

/* Both wait by turns, and only the first has work, until so many times handoff_us are nearly over.
 * Returns how often it rested. */
static unsigned first_works_for(unsigned times)
{
	uint64_t handoff_ns = (uint64_t)own_option(OWN_OPTION_handoff_us) * 1000;
	uint64_t end = now + own_ns_to_ticks(times * handoff_ns - 10000);
	unsigned rests = 0;

	while (now < end) {
		rests += works_and_waits(&first);
		assert_false(waits(&second));
	}
	return rests;
}

static void begin(void)
{
	assert_false(works_and_waits(&second));
	assert_false(works_and_waits(&first));
}

/* At its next wait it has been passed over for handoff_us. */
static void pass_over_the_second(void)
{
	begin();
	assert_int_equal(first_works_for(1), 0);
	now += own_ns_to_ticks(20000);
}

static void nobody_rests_while_all_are_served(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 10000; i++) {
		assert_false(works_and_waits(&first));
		assert_false(works_and_waits(&second));
	}
}

static void the_served_one_rests_once_for_one_that_is_passed_over(void **state)
{
	(void)state;
	pass_over_the_second();
	assert_false(waits(&second));
	assert_true(works_and_waits(&first));
	assert_false(waits(&second));
	assert_false(works_and_waits(&first));
}

static void rests_in_vain_become_seldom(void **state)
{
	(void)state;
	begin();
	first_works_for(20);
	assert_int_equal(cond.rests_in_vain, 3);
	/* Then one in four times handoff_us. */
	assert_in_range(first_works_for(40), 9, 11);
}

static void a_lock_that_was_contended_is_work(void **state)
{
	(void)state;
	pass_over_the_second();
	own_self = second;
	own_turns_end(&cond, &mutex);
	assert_int_equal(own_mutex_lock_slow(&mutex, NULL, NULL), 0);
	assert_false(own_turns_begin(&cond, &mutex, now));
	assert_int_equal(cond.passed_over, 0);
}

static void a_rest_that_helped_ends_that(void **state)
{
	(void)state;
	begin();
	first_works_for(20);
	assert_false(works_and_waits(&second));
	assert_int_equal(cond.rests_in_vain, 0);
}

static void one_that_was_passed_over_does_not_rest_once_it_is_served(void **state)
{
	(void)state;
	pass_over_the_second();
	assert_false(waits(&second));
	assert_int_equal(cond.passed_over, 1);
	assert_false(works_and_waits(&second));
	assert_true(works_and_waits(&first));
}

static void waits_at_another_variable_are_served_ones(void **state)
{
	static struct own_cond other;

	(void)state;
	pass_over_the_second();
	own_self = second;
	own_turns_end(&cond, &mutex);
	assert_false(own_turns_begin(&other, &mutex, now));
	assert_int_equal(other.passed_over, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(nobody_rests_while_all_are_served, setup),
	    cmocka_unit_test_setup(the_served_one_rests_once_for_one_that_is_passed_over, setup),
	    cmocka_unit_test_setup(rests_in_vain_become_seldom, setup),
	    cmocka_unit_test_setup(a_lock_that_was_contended_is_work, setup),
	    cmocka_unit_test_setup(a_rest_that_helped_ends_that, setup),
	    cmocka_unit_test_setup(one_that_was_passed_over_does_not_rest_once_it_is_served, setup),
	    cmocka_unit_test_setup(waits_at_another_variable_are_served_ones, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
