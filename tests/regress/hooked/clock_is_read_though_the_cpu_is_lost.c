/*
 * A thread that relates the processor's counter to the clock loses its CPU between the two
 * readings, as happens at the end of a system call. All times that the runtime took from there on
 * were wrong, tenfold and more, those of a process without new threads for ever.
 */
#include "support/threads.h"
#include "sys/clock.h"
#include "sys/delay.h"

static int readings;

/* Every other reading. At first before main, from the constructor. */
void own_delay(const char *label)
{
	if (strcmp(label, "clock read") == 0 && readings++ % 2 == 0)
		check_sleep_ms(20);
}

/* What the runtime takes for a second, in thousandths; by readings of which few lose their CPU. */
static long second_by_the_clock(void)
{
	long best = 0, least = 1000000;

	for (int i = 0; i < 20; i++) {
		uint64_t ticks = own_ticks(), ns = own_monotonic_ns(), wrong;
		struct timespec rest = {0, 10000000};
		long found;

		nanosleep(&rest, NULL);
		wrong = own_ticks();
		ns = own_monotonic_ns() - ns;
		ticks = own_ticks() - ticks;
		wrong = own_ticks() - wrong;
		found = (long)(own_ticks_to_ns(ticks) * 1000 / ns);
		if ((long)(wrong * 1000 / ticks) < least) {
			least = (long)(wrong * 1000 / ticks);
			best = found;
		}
	}
	return best;
}

int main(void)
{
	long first, later;

	check_begin();
	CHECK(readings > 1);
	first = second_by_the_clock();
	CHECK(first > 800 && first < 1250);
	own_clock_calibrate();
	later = second_by_the_clock();
	CHECK(later > 800 && later < 1250);
	CHECK(own_ticks_to_ns(own_ns_to_ticks(1000000)) > 900000);
	return 0;
}
