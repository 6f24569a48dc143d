/* For tests that ask twice where they run. */
#ifndef OWN_TEST_ONE_CPU_H
#define OWN_TEST_ONE_CPU_H

#include <sched.h>

/* Binds the thread to the CPU on which it is. Returns 0, or -1 where that is refused. */
static inline int check_stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

#endif
