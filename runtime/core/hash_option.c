#include "core/hash_option.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "config/options.h"
#include "stats/counters.h"
#include "stats/hash_state.h"
#include "sys/futex_hash.h"

/* Said once: the children of a process that was refused neither try nor say it again. */
static bool refused;

static void complain(long wanted, int error)
{
	char number[24];
	char line[256];
	int length;

	snprintf(number, sizeof(number), "%ld", wanted);
	length = snprintf(
	    line, sizeof(line), "ownline: option futex_hash=%s: %s; the kernel's choice is kept\n",
	    wanted == OWN_SLOTS_GLOBAL ? "global" : number, own_futex_hash_why(error));
	/* Where stderr is closed there is nobody to tell, and the program has to run on. */
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}

void own_hash_option_apply(void)
{
	long wanted = own_option(OWN_OPTION_futex_hash);
	bool global = wanted == OWN_SLOTS_GLOBAL;
	int error;

	if (wanted == OWN_SLOTS_KEEP || refused)
		return;
	error = own_futex_hash_set_slots(global ? 0 : (uint32_t)wanted);
	if (error == 0 || error == -EBUSY)
		own_hash_state_look(own_stats_segment(), global || error == -EBUSY);
	if (error == 0)
		return;
	/* On the global hash already, or on a kernel that has no other: what is wanted is there. */
	if (global && (error == -EBUSY || error == -EINVAL))
		return;
	refused =
	    error != -EBUSY; /* a child is not bound by its parent's choice of the global one */
	complain(wanted, error);
}
