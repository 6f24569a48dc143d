/* What a wait may spend before it parks: the plan, for threads that run where the test says. */
#include "core/spin.h"

#include <setjmp.h>
#include <stdarg.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(an_ordinary_waiter_spins_and_looks, setup),
	    cmocka_unit_test_setup(a_realtime_waiter_looks_once_if_the_owner_is_elsewhere, setup),
	    cmocka_unit_test_setup(nobody_looks_where_the_owner_took_it_on_the_same_cpu, setup),
	    cmocka_unit_test_setup(spins_in_the_queue_are_learnt_apart, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
