/* Puts threads onto CPUs. */
#ifndef OWN_WORKLOADS_PIN_H
#define OWN_WORKLOADS_PIN_H

#include <sched.h>

/* The calling thread, onto that CPU of the set modulo their number. */
static inline void own_pin(const cpu_set_t *allowed, unsigned index)
{
	int wanted = (int)(index % (unsigned)CPU_COUNT(allowed));
	cpu_set_t one;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed) || wanted-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

#endif
