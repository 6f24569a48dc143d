/*
 * A signal handler locks in the middle of its thread's first slow path. What the thread got there
 * took the place of what the handler had got, which was lost: a parker and a block of counters for
 * each such thread.
 */
#include "core/parker.h"
#include "core/parker_slab.h"
#include "core/thread_life.h"
#include "support/threads.h"
#include "sys/delay.h"

#define THREADS 300

static _Thread_local int taking;
static _Thread_local int attaching;

/* As the handler does. */
static void lock_meanwhile(int *at)
{
	struct own_parker *parker;

	if (!*at)
		return;
	*at = 0;
	parker = own_parker_acquire();
	CHECK(parker != NULL);
	own_parker_release(parker);
}

void own_delay(const char *label)
{
	if (strcmp(label, "S-taken") == 0)
		lock_meanwhile(&taking);
	if (strcmp(label, "attach") == 0)
		lock_meanwhile(&attaching);
}

static void *wait_first(void *unused)
{
	struct own_parker *parker;

	(void)unused;
	taking = attaching = 1;
	parker = own_parker_acquire();
	CHECK(parker != NULL);
	CHECK(!taking && !attaching);
	CHECK(own_self.parker != NULL && own_self.counters != NULL);
	own_parker_release(parker);
	return NULL;
}

static void count(struct own_parker *parker, void *number)
{
	(void)parker;
	++*(unsigned *)number;
}

static unsigned parkers(void)
{
	unsigned number = 0;

	own_parker_slab_visit(count, &number);
	return number;
}

int main(void)
{
	struct check_thread thread;
	unsigned before;

	check_begin();
	check_start(&thread, wait_first, NULL);
	check_join(&thread);
	before = parkers();
	for (int i = 0; i < THREADS; i++) {
		check_start(&thread, wait_first, NULL);
		check_join(&thread);
	}
	CHECK_EQ(parkers(), before);
	CHECK(own_load_relaxed(&own_stats_segment()->threads_used) <= 3);
	return 0;
}
