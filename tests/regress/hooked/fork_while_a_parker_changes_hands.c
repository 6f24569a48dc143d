/*
 * A handler forks while its thread takes a parker from the free list, or gives one back, and
 * returns in the child. The child's list is made anew there; the interrupted step then put the
 * parker in a second time, or used one that was free: two threads would wait on the same one.
 */
#include "core/parker.h"
#include "core/parker_slab.h"
#include "support/check.h"
#include "sys/delay.h"

#define TAKEN 400 /* more than there are at first: the list grows as well */

static _Thread_local unsigned countdown; /* steps until the fork, 0: none */
static pid_t child;

void own_delay(const char *label)
{
	if (strncmp(label, "S-", 2) != 0 || countdown == 0 || --countdown > 0)
		return;
	child = check_fork();
}

static void check_distinct(struct own_parker *held)
{
	static struct own_parker *taken[TAKEN];

	for (size_t i = 0; i < TAKEN; i++) {
		taken[i] = own_parker_slab_take();
		CHECK(taken[i] != NULL);
		CHECK(taken[i] != held);
		for (size_t j = 0; j < i; j++)
			CHECK(taken[i] != taken[j]);
	}
}

/* True if it has so many steps. */
static int fork_at(unsigned step)
{
	struct own_parker *own = own_parker_acquire(), *spare;

	CHECK(own != NULL);
	child = -1;
	countdown = step;
	spare = own_parker_acquire(); /* the thread's own is in use */
	CHECK(spare != NULL && spare != own);
	if (child != 0) {
		own_parker_release(spare);
		spare = NULL;
	}
	countdown = 0;
	if (child == 0) {
		check_distinct(spare);
		_exit(0);
	}
	own_parker_release(own);
	if (child > 0)
		check_reap(child);
	return child > 0;
}

int main(void)
{
	unsigned step = 1;

	check_begin();
	while (fork_at(step))
		step++;
	CHECK(step > 4);
	return 0;
}
