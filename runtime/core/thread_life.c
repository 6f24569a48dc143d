#include "core/thread_life.h"

#include <pthread.h>

#include "core/fork.h"
#include "core/mutex.h"
#include "core/parker.h"
#include "core/start.h"
#include "stats/hash_state.h"
#include "sys/clock.h"
#include "sys/delay.h"

/* The C library keeps the values of the first keys inside the thread; later ones may be allocated
 * on first use, and an allocator may be what is locking here. */
#define KEYS_WITHOUT_ALLOCATION 32

static pthread_key_t key;
static _Atomic bool key_usable;

static void thread_ends(void *unused)
{
	struct own_parker *parker = own_self.parker;

	(void)unused;
	own_self.exiting = true;
	if (own_self.counters && !own_counters_is_shared(own_self.counters))
		own_counters_detach(own_self.counters);
	own_self.counters = own_counters_shared();
	if (!parker)
		return;
	own_store_relaxed(&parker->cancellable, 0);
	/* Busy: left behind by a wait that an exit or a cancellation cut short. */
	if (parker->busy && !own_mutex_abandon(parker))
		return;
	parker->busy = 1;
	own_parker_release(parker);
}

void own_thread_life_start(void)
{
	if (pthread_key_create(&key, thread_ends) != 0)
		return;
	if (key < KEYS_WITHOUT_ALLOCATION)
		own_store_release(&key_usable, true);
	else
		(void)pthread_key_delete(key);
}

OWN_NOINLINE void own_thread_attach_slow(void)
{
	struct own_thread *self = &own_self;
	struct own_counters *counters = NULL;

	own_start_anchor();
	(void)own_thread_id();
	if (self->random == 0)
		self->random = (uint32_t)own_ticks() | 1;
	if (!self->exiting && own_load_acquire(&key_usable) &&
	    pthread_setspecific(key, self) == 0) {
		counters = own_counters_attach();
		own_step("attach");
	} else {
		self->exiting = true;
	}
	atomic_signal_fence(memory_order_seq_cst);
	if (own_unlikely(self->attached)) {
		/* A handler that ran meanwhile has done it. */
		own_counters_detach(counters);
		return;
	}
	self->counters = counters ? counters : own_counters_shared();
	self->attached = true;
	own_clock_calibrate();
	own_hash_state_look(own_stats_segment(), false); /* there are threads now */
}
