#include "sys/thread.h"

#include <pthread.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "sys/call.h"
#include "sys/cpu.h"

OWN_TLS struct own_thread own_self;
extern OWN_EXPORT OWN_TLS uint32_t ownline_taken_ __attribute__((alias("own_self")));
_Atomic int32_t own_inherited_tid;
_Static_assert(offsetof(struct own_thread, taken) == 0, "where ownline_taken_ is");

/* More CPUs than this count as this many. */
#define AFFINITY_BITS 8192
/* SCHED_DEADLINE, which older headers lack. */
#define POLICY_DEADLINE 6

int32_t own_thread_id_slow(void)
{
	own_self.cpu_word = own_cpu_word();
	own_self.tid = (int32_t)own_syscall3(SYS_gettid, 0, 0, 0);
	/* Scattered, so that one thread's count is not taken for another's. */
	own_self.taken = (uint32_t)own_self.tid * UINT32_C(0x9e3779b1);
	if (own_unlikely(own_load_relaxed(&own_inherited_tid) == own_self.tid)) {
		own_store_relaxed(&own_inherited_tid, 0);
		atomic_thread_fence(memory_order_release); /* (T-inherit): before it owns */
	}
	return own_self.tid;
}

uintptr_t own_thread_handle(void)
{
	return (uintptr_t)pthread_self();
}

bool own_thread_is_alone(void)
{
	struct stat tasks = {0};
	long result;

	if (own_thread_id() != (int32_t)own_syscall3(SYS_getpid, 0, 0, 0))
		return false;
	/* A folder of N folders has N + 2 links. */
	result =
	    own_syscall6(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/task", (long)&tasks, 0, 0, 0);
	return result != 0 || tasks.st_nlink <= 3;
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
	own_self.realtime = policy == SCHED_FIFO || policy == SCHED_RR || policy == POLICY_DEADLINE;
	own_self.priority = 0;
	if (own_self.realtime) {
		struct sched_param parameters = {0};

		(void)own_syscall3(SYS_sched_getparam, 0, (long)&parameters, 0);
		/* A deadline thread has none, and runs before all others. */
		own_self.priority =
		    policy == POLICY_DEADLINE ? UINT8_MAX : (uint8_t)parameters.sched_priority;
	}
}

void own_thread_after_fork(void)
{
	own_store_relaxed(&own_inherited_tid, own_self.tid);
	own_self.forked = 1;
	own_self.tid = 0;
}
