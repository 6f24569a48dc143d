#include "sys/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "sys/call.h"

int own_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct own_deadline *deadline)
{
	long operation = FUTEX_WAIT_BITSET_PRIVATE;
	const struct timespec *until = NULL;

	if (deadline) {
		if (deadline->time.tv_sec < 0)
			return -ETIMEDOUT; /* the kernel calls it invalid; it has passed long ago */
		if (deadline->clock == CLOCK_REALTIME)
			operation |= FUTEX_CLOCK_REALTIME;
		until = &deadline->time;
	}
	return (int)own_syscall6(SYS_futex, (long)word, operation, (long)expected, (long)until, 0,
				 (long)FUTEX_BITSET_MATCH_ANY);
}

int own_futex_wake(_Atomic uint32_t *word, int count)
{
	return (int)own_syscall6(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}
