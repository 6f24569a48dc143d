#include "sys/thread.h"

#include <pthread.h>
#include <sched.h>

#include "sys/call.h"

OWN_TLS struct own_thread own_self;

/* More CPUs than this count as this many. */
#define AFFINITY_BITS 8192

int32_t own_thread_id_slow(void)
{
	own_self.tid = (int32_t)own_syscall3(SYS_gettid, 0, 0, 0);
	return own_self.tid;
}

uintptr_t own_thread_handle(void)
{
	return (uintptr_t)pthread_self();
}

void own_thread_look_at_schedule(void)
{
	unsigned long mask[AFFINITY_BITS / (8 * sizeof(unsigned long))] = {0};
	long bytes = own_syscall3(SYS_sched_getaffinity, 0, (long)sizeof(mask), (long)mask);
	long policy = own_syscall3(SYS_sched_getscheduler, 0, 0, 0);
	int cpus = 0;

	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		cpus += __builtin_popcountl(mask[i]);
	own_self.cpus = (uint16_t)(bytes > 0 ? cpus : 1);
	policy &= ~(long)SCHED_RESET_ON_FORK;
	own_self.realtime = policy == SCHED_FIFO || policy == SCHED_RR || policy == 6;
}

void own_thread_after_fork(void)
{
	own_self.inherited_tid = own_self.tid;
	own_self.tid = 0;
}
