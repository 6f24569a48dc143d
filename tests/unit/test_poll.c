/* Trylock that is called again and again: when it yields to the owner. */
#include "core/poll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "core/thread_life.h"
#include "one_cpu.h"
#include "sys/clock.h"
#include "sys/cpu.h"

#define TRIES 1000

static struct own_mutex mutex, other;
static unsigned yields;

void __wrap_own_yield(void); /* in place of own_yield, by the linker */
void __wrap_own_yield(void)
{
	yields++;
}

/* One CPU, on which the owner took the mutex. */
static int setup(void **state)
{
	(void)state;
	if (check_stay_on_one_cpu() != 0)
		return -1;
	own_option_values[OWN_OPTION_trylock_yields] = 1;
	own_thread_attach();
	memset(&mutex, 0, sizeof(mutex));
	mutex.word = OWN_LOCKED;
	mutex.owner = 1;
	mutex.cpu = own_cpu_mark();
	own_self.polled = NULL;
	yields = 0;
	return 0;
}

static void poll(unsigned tries)
{
	while (tries-- > 0)
		own_poll_failed(&mutex);
}

static void need_the_cpus_number(void)
{
	if (own_cpu_mark() == 0)
		skip(); /* without rseq nobody knows where an owner is */
}

/* The test may lose its CPU in a series, which then is no polling: so there are several. */
static void poll_until_it_yields(void)
{
	for (int i = 0; i < TRIES && yields == 0; i++) {
		mutex.count++;
		poll(100);
	}
}

static void a_poller_yields_to_an_owner_on_its_cpu(void **state)
{
	(void)state;
	need_the_cpus_number();
	poll_until_it_yields();
	assert_true(yields > 0);
}

static void a_poller_yields_to_an_owner_that_was_lost_while_it_unlocked(void **state)
{
	(void)state;
	need_the_cpus_number();
	mutex.owner = 0;
	mutex.cpu = 0;
	poll_until_it_yields();
	assert_true(yields > 0);
}

static void nobody_yields_for_an_owner_elsewhere(void **state)
{
	(void)state;
	mutex.cpu = (uint16_t)(own_cpu_mark() + 1);
	poll(TRIES);
	assert_int_equal(yields, 0);
}

static void nobody_yields_while_the_mutex_is_passed_on(void **state)
{
	(void)state;
	for (int i = 0; i < TRIES; i++) {
		mutex.count++;
		poll(20);
	}
	assert_int_equal(yields, 0);
}

static void nobody_yields_who_tries_several_mutexes_in_turn(void **state)
{
	(void)state;
	other = mutex;
	for (int i = 0; i < TRIES; i++) {
		own_poll_failed(&mutex);
		own_poll_failed(&other);
	}
	assert_int_equal(yields, 0);
}

static void nobody_yields_who_tries_seldom(void **state)
{
	(void)state;
	for (int i = 0; i < TRIES; i++) {
		uint64_t start = own_ticks();

		own_poll_failed(&mutex);
		while (own_ticks() - start < own_ns_to_ticks(2000))
			;
	}
	assert_int_equal(yields, 0);
}

static void an_owner_that_does_not_go_on_is_left_alone(void **state)
{
	(void)state;
	poll(100 * TRIES);
	assert_true(yields <= 16);
}

static void a_realtime_poller_never_yields(void **state)
{
	(void)state;
	for (int i = 0; i < TRIES; i++) {
		mutex.count++;
		own_self.realtime = true;
		own_self.cpus = 1;
		own_self.schedule_checked = own_ticks(); /* fresh: the truth is not asked */
		poll(50);
	}
	assert_int_equal(yields, 0);
}

static void the_option_says_never(void **state)
{
	(void)state;
	own_option_values[OWN_OPTION_trylock_yields] = 0;
	poll(TRIES);
	assert_int_equal(yields, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(a_poller_yields_to_an_owner_on_its_cpu, setup),
	    cmocka_unit_test_setup(a_poller_yields_to_an_owner_that_was_lost_while_it_unlocked,
				   setup),
	    cmocka_unit_test_setup(nobody_yields_for_an_owner_elsewhere, setup),
	    cmocka_unit_test_setup(nobody_yields_while_the_mutex_is_passed_on, setup),
	    cmocka_unit_test_setup(nobody_yields_who_tries_several_mutexes_in_turn, setup),
	    cmocka_unit_test_setup(nobody_yields_who_tries_seldom, setup),
	    cmocka_unit_test_setup(an_owner_that_does_not_go_on_is_left_alone, setup),
	    cmocka_unit_test_setup(a_realtime_poller_never_yields, setup),
	    cmocka_unit_test_setup(the_option_says_never, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
