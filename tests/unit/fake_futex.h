/*
 * A futex for unit tests, linked in place of sys/futex.c. No thread ever sleeps: where one would,
 * the test's next step runs instead, as another thread that gets the CPU at that moment.
 */
#ifndef OWN_TESTS_UNIT_FAKE_FUTEX_H
#define OWN_TESTS_UNIT_FAKE_FUTEX_H

#include "sys/futex.h"

/* What the next FUTEX_WAIT does: runs act(argument), unless NULL, and returns `result`; a result of
 * 0 becomes -EAGAIN when the word has changed `before` the kernel's compare. */
struct fake_wait {
	void (*act)(void *argument);
	void *argument;
	int result;
	bool before; /* act runs between the caller's decision and the compare */
};

void fake_futex_reset(void);
void fake_futex_expect(struct fake_wait wait); /* appended to the script */

/* A deadline that has not passed yet; it does before a step with -ETIMEDOUT returns. */
void fake_futex_soon(struct own_deadline *deadline);

unsigned fake_futex_waits(void);
unsigned fake_futex_wakes(void);
/* Words that were waited on, the n-th. */
const void *fake_futex_word(unsigned number);

#endif
