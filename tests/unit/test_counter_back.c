/*
 * The processor's counter goes back in the middle of a wait, as in a process that was restored on
 * another machine: no loop may wait until it has come as far again.
 */
#include "sys/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t readings_left; /* until it goes back */
static uint64_t back;

static uint64_t ticks_that_go_back(void)
{
	if (readings_left > 0 && --readings_left == 0)
		back += UINT64_C(1) << 50;
	return own_ticks() - back;
}

/* The loops of spin.c and yield.c, by that counter. */
#define own_ticks ticks_that_go_back
#include "core/spin.c"
#include "core/yield.c"

#define MOST_READINGS 40

static struct own_mutex held = {.word = OWN_LOCKED};
static _Atomic uint32_t word;

static int setup(void **state)
{
	(void)state;
	own_option_values[OWN_OPTION_spin] = 1;
	own_thread_attach();
	alarm(60);
	return 0;
}

/* As a thread that may spin. */
static void go_back_at(uint64_t reading)
{
	held.cpu = (uint16_t)(own_cpu_mark() + 1);
	held.spin = 0;
	own_self.cpus = 2;
	own_self.parallel = true;
	own_self.realtime = false;
	own_self.schedule_checked = ticks_that_go_back();
	readings_left = reading;
}

static void a_spinner_ends(void **state)
{
	(void)state;
	for (uint64_t reading = 1; reading < MOST_READINGS; reading++) {
		go_back_at(reading);
		assert_false(own_spin_lock(&held, false));
	}
}

static void a_patient_spinner_ends(void **state)
{
	(void)state;
	for (uint64_t reading = 1; reading < MOST_READINGS; reading++) {
		go_back_at(reading);
		held.looks = UINT8_MAX;
		assert_false(own_spin_lock(&held, false));
	}
}

static void a_queued_spinner_ends(void **state)
{
	(void)state;
	for (uint64_t reading = 1; reading < MOST_READINGS; reading++) {
		struct own_park park = {.deadline = NULL};

		go_back_at(reading);
		park.spin_ticks = own_ns_to_ticks(50000);
		park.yields = 100;
		park.last_look_ticks = own_ns_to_ticks(5000);
		assert_false(own_spin_on_word(&word, 0, &park));
	}
}

/* What was in the past is so still. */
static void yields_are_made_again(void **state)
{
	bool used = false;

	(void)state;
	go_back_at(0);
	stop_yields(place_here(), ticks_that_go_back(), ticks_that_go_back());
	assert_false(own_yield_once(&used));
	readings_left = 1;
	(void)ticks_that_go_back();
	assert_true(own_yield_once(&used));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(a_spinner_ends, setup),
	    cmocka_unit_test_setup(a_patient_spinner_ends, setup),
	    cmocka_unit_test_setup(a_queued_spinner_ends, setup),
	    cmocka_unit_test_setup(yields_are_made_again, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
