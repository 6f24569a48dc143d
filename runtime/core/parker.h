/*
 * Parker: where a thread waits. One word, which one waker changes, alone on its cacheline; it is
 * the only kind of word that the runtime ever passes to FUTEX_WAIT.
 *
 *   state      set by                     when
 *   SPINNING   the waiter                 before it becomes visible in a queue
 *              the waiter (CAS)           after a poke; when the kernel says that its time is up
 *   PARKED     the waiter (CAS)           right before FUTEX_WAIT, after a last look at the word
 *   NOTIFIED   the waker (exchange)       it has taken the waiter out of its queue
 *              the waiter, after a fork   the queue that it stood in is the parent's
 *   POKED      pthread_cancel (CAS)       the waiter shall look whether it has been cancelled
 *
 *   SPINNING -> PARKED -> NOTIFIED        waker calls FUTEX_WAKE
 *   SPINNING -> NOTIFIED                  no system call on either side
 *   PARKED -> SPINNING                    time is up: the waiter goes to leave its queue
 *   SPINNING | PARKED -> POKED -> SPINNING | NOTIFIED
 *                                         canceller calls FUTEX_WAKE if it was PARKED
 *
 * Invariants:
 * P1 Between the store of SPINNING before a wait and NOTIFIED exactly one thread makes the exchange
 *    to NOTIFIED, or the waiter has left the queue and nobody does.
 * P2 A waiter ends its wait only after NOTIFIED, or after leaving its queue under that queue's bit.
 *    So no exchange can reach the parker's next wait. A late FUTEX_WAKE can: it is a spurious wake.
 * P3 Parkers come from slabs that are never unmapped: a late FUTEX_WAKE touches our memory only.
 *
 * Ordering: (P-notify) the exchange releases what the waker wrote for the waiter (granted, links);
 * (P-seen) the waiter's load of NOTIFIED acquires it. The CAS to PARKED needs no order of its own:
 * it carries nothing but itself, and the kernel orders its compare against the waker's exchange by
 * the bucket lock.
 */
#ifndef OWN_CORE_PARKER_H
#define OWN_CORE_PARKER_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/clock.h"
#include "sys/thread.h"

struct own_mutex;
struct own_lock_record;

enum own_parker_word {
	OWN_PARKER_SPINNING,
	OWN_PARKER_PARKED,
	OWN_PARKER_NOTIFIED,
	OWN_PARKER_POKED,
};

/* Which queue a parker is in. Changed under that queue's bit; see cond.c for the CAS. */
enum own_parker_claim {
	OWN_CLAIM_NONE,	   /* in none */
	OWN_CLAIM_MUTEX,   /* in a mutex's queue */
	OWN_CLAIM_COND,	   /* in a condition variable's queue */
	OWN_CLAIM_LEAVING, /* still linked there, but its thread has given up: nobody may pop it */
	OWN_CLAIM_POPPED,  /* taken out by a waker, who will notify or requeue */
};

struct own_parker {
	_Alignas(OWN_CACHELINE_PAIR) _Atomic uint32_t word;

	/* The second line: for the queue's holder, and for the thread itself. */
	_Alignas(OWN_CACHELINE) struct own_parker *next;
	struct own_parker *previous;
	struct own_mutex *mutex; /* waits for it; condition wait: requeue here, NULL: cannot be */
	uint64_t since;		 /* ticks when it entered the mutex queue for the first time */
	_Atomic uintptr_t cancellable; /* handle of a thread in a condition wait, else 0 */
	_Atomic uint32_t claim;	       /* enum own_parker_claim */
	int32_t tid;
	uint16_t cpu;	      /* where the thread queued (own_cpu_mark) */
	_Atomic uint8_t spun; /* enum own_spun: for the waker to learn from */
	uint8_t priority;     /* of a real-time thread, 0 for others */
	uint32_t index;	      /* in the slabs; with the free list's link */
	_Atomic uint32_t free_next;
	uint8_t granted;    /* the mutex was handed over: the waiter owns it */
	uint8_t designated; /* popped as the mutex's designated waiter */
	uint8_t busy;	    /* the thread is in a wait: a signal handler takes a spare one */
	uint8_t bucket;	    /* predicted futex bucket modulo OWN_PARKER_BUCKETS */
};
_Static_assert(sizeof(struct own_parker) == OWN_CACHELINE_PAIR, "word and links: a line each");

/*
 * A parker for one wait of the calling thread: its own, or a spare one when that is in use. NULL
 * when there is none and no memory for more; the caller then waits without (yield, sleep).
 */
struct own_parker *own_parker_acquire(void);
void own_parker_release(struct own_parker *parker);

/* Makes the parker ready for a wait; before it is linked into a queue. */
static inline void own_parker_prepare(struct own_parker *parker)
{
	/* relaxed: the queue's bit publishes it */
	own_store_relaxed(&parker->word, OWN_PARKER_SPINNING);
	parker->granted = 0;
	parker->designated = 0;
}

enum own_park_result {
	OWN_PARK_NOTIFIED,
	OWN_PARK_TIMEOUT,
	OWN_PARK_POKED,
};

/* How a wait spun, in vain once it has parked. */
enum own_spun {
	OWN_SPUN_NOT,
	OWN_SPUN_STILL,	 /* it does, and has not parked yet */
	OWN_SPUN_ALONE,	 /* nobody else wanted the CPU: a waste */
	OWN_SPUN_SHARED, /* its yields let others run */
};

/* What one wait may spend before it parks, and where it counts itself. */
struct own_park {
	const struct own_deadline *deadline; /* NULL: none */
	uint64_t spin_ticks;
	unsigned yields;
	uint64_t crowded_look_ticks; /* instead of the rest, where yields are a bad bargain */
	uint64_t last_look_ticks; /* right before it parks, after its yields or without spinning */
	struct own_lock_record *record; /* may be NULL */
	bool parked;			/* out: it went to the kernel */
	enum own_spun spun;		/* out: how it spun before it parked */
};

/*
 * Waits until notified. After TIMEOUT or POKED the parker may still be notified at any moment: the
 * caller leaves its queue, or finds itself popped and waits again.
 */
enum own_park_result own_parker_wait(struct own_parker *parker, struct own_park *park);

/* For the waker, before it notifies: what the wait says about spinning there (spin.h). */
void own_parker_teach(const struct own_parker *parker, _Atomic uint8_t *failures);

/* The same for many at once: adds to *failed and *succeeded, whoever had the CPU meanwhile. */
void own_parker_count_spin(const struct own_parker *parker, unsigned *succeeded, unsigned *failed);

/* Ends the wait of a parker that has been popped. The caller touches it no more. */
void own_parker_notify(struct own_parker *parker);

/* Makes every condition wait of the thread look for its cancellation. */
void own_parker_poke(uintptr_t thread_handle);

/* In a fork child: frees the parkers of threads that no longer exist, ends the forking thread's own
 * interrupted waits. */
void own_parker_after_fork(void);

#endif
