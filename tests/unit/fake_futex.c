#include "fake_futex.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

#define SCRIPT 16

static struct fake_wait script[SCRIPT];
static const void *words[SCRIPT];
static unsigned expected_waits;
static unsigned waits;
static unsigned wakes;
static struct own_deadline *soon;

void fake_futex_reset(void)
{
	expected_waits = 0;
	waits = 0;
	wakes = 0;
}

void fake_futex_expect(struct fake_wait wait)
{
	assert_true(expected_waits < SCRIPT);
	script[expected_waits++] = wait;
}

unsigned fake_futex_waits(void)
{
	return waits;
}

unsigned fake_futex_wakes(void)
{
	return wakes;
}

const void *fake_futex_word(unsigned number)
{
	assert_true(number < waits);
	return words[number];
}

void fake_futex_soon(struct own_deadline *deadline)
{
	deadline->clock = CLOCK_MONOTONIC;
	own_clock_now(CLOCK_MONOTONIC, &deadline->time);
	deadline->time.tv_sec += 3600;
	soon = deadline;
}

int own_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct own_deadline *deadline)
{
	struct fake_wait *step;

	if (waits >= expected_waits)
		fail_msg("an unexpected FUTEX_WAIT: this thread would sleep for ever");
	step = &script[waits];
	words[waits++] = word;
	if (step->before && step->act)
		step->act(step->argument);
	if (own_load_relaxed(word) != expected)
		return -EAGAIN;
	if (!step->before && step->act)
		step->act(step->argument);
	if (step->result == -ETIMEDOUT && deadline) {
		assert_ptr_equal(deadline, soon);
		soon->time.tv_sec = 0;
	}
	return step->result;
}

int own_futex_wake(_Atomic uint32_t *word, int count)
{
	(void)word;
	(void)count;
	wakes++;
	return 1;
}
