#include "core/fork.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "core/hash_option.h"
#include "core/parker.h"
#include "stats/counters.h"
#include "sys/clock.h"
#include "sys/delay.h"
#include "sys/thread.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define WITNESS_FRESH	 0u /* wiped: this is a child */
#define WITNESS_CHANGING 2u

_Atomic uint32_t own_generation;
_Atomic uint32_t *own_fork_witness;

static void become_child(void)
{
	own_step("fork seen");
	own_store_relaxed(&own_generation,
			  own_generation_now() + (UINT32_C(1) << OWN_GENERATION_SHIFT));
	own_parker_after_fork();
	own_thread_after_fork();
	own_self.counters = NULL;
	own_self.attached = false;
	own_stats_after_fork();
}

void own_fork_child(void)
{
	uint32_t state = WITNESS_FRESH;
	bool nested;

	if (!own_fork_witness) {
		become_child(); /* from the fork handler: one thread */
		return;
	}
	/* Set: a handler, which may have interrupted what it would wait for. */
	nested = own_self.becomes_child;
	own_self.becomes_child = true;
	if (own_cas_acq_rel(own_fork_witness, &state, WITNESS_CHANGING)) {
		become_child();
		own_store_release(own_fork_witness, OWN_FORK_KNOWN);
	}
	own_self.becomes_child = nested;
	while (!nested && own_load_acquire(own_fork_witness) == WITNESS_CHANGING)
		own_sleep_ns(50000);
}

static void child_handler(void)
{
	int saved = errno;

	own_fork_child();
	own_hash_option_apply();
	errno = saved;
}

void own_fork_start(void)
{
	long size = 4096;
	void *page =
	    mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED) {
		if (madvise(page, (size_t)size, MADV_WIPEONFORK) == 0) {
			own_store_release((_Atomic uint32_t *)page, OWN_FORK_KNOWN);
			own_fork_witness = page;
		} else {
			(void)munmap(page, (size_t)size);
		}
	}
	/* ENOMEM leaves the witness to do the work. */
	(void)pthread_atfork(NULL, NULL, child_handler);
}
