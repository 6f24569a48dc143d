#include "sys/delay.h"

/* An empty translation unit is not C. */
extern int own_delay_is_a_build_option;

#ifdef OWN_DELAYS

#include <stdlib.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/clock.h"

static OWN_TLS uint64_t state;
static _Atomic uint64_t threads;

static uint64_t next(void)
{
	if (state == 0) {
		const char *seed = secure_getenv("OWNLINE_DELAY_SEED");
		uint64_t number = own_fetch_add_relaxed(&threads, 1) + 1;

		/* Odd multiplier: threads of one seed differ, and none starts at zero. */
		state = (seed ? strtoull(seed, NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) +
			number * UINT64_C(0xbf58476d1ce4e5b9);
		state |= 1;
	}
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 11;
}

void own_delay(const char *label)
{
	uint64_t draw = next();
	/* One label is slow for a while, then another: so that one thread lingers at a place while
	 * the others go on. */
	uint64_t slow = (uint64_t)(uintptr_t)label % 7 == (own_ticks() >> 24) % 7;

	if (draw % 64 == 0)
		own_sleep_ns(draw / 64 % 200000);
	else if (draw % (slow ? 4 : 16) == 1)
		own_yield();
	else if (draw % 4 == 2)
		for (uint64_t i = 0; i < draw / 64 % 256; i++)
			own_pause();
}

#endif
