/*
 * The mutex of runtime/core: mutex.c and spin.c here, mutex_queue.c and mutex_unlock.c in the files of
 * these names. Inlines are named after the C functions (own_mutex_ left out where the name is long).
 *
 * What is one step here and several there
 *   A load of the word and the compare-and-swap behind it: if another thread comes between, the swap
 *   fails and changes nothing. leave_queue keeps what it popped over a failed swap, so there the two
 *   are apart.
 *   Waiting for QUEUE (own_spin_for_queue) is a blocked step: it only looks. So are all looks of
 *   look_for_it and yield_for_it but one: one that finds the mutex locked changes nothing.
 *   Changes under QUEUE of links, claim and parker are one step: nobody else looks at these without it.
 *
 * What is answered either way, so that the model has every behaviour of the code and more
 *   Spinning (spin.c's plan, pays, own_spin_learn, `looks`, is_rushed, is_passed_on, yield.c, far_back,
 *   the last look before parking): decides how long to look, never what to do. No test has it, since it
 *   is times: scripts/bars and scripts/bench.
 *   Deadlines pass at any time. Without BYPASS also every question about age (is_past, hand_over): so
 *   that `handed` is 8 bits that wrap does not matter. With BYPASS the clock is the number of
 *   acquisitions, ages are counts of bypasses, and thread 0 locks for ever.
 *   Whom own_mutex_pop_designated picks (by CPU): anybody in the queue. Where own_queue_push_by_age
 *   puts a waiter: anywhere; with BYPASS by age, among equals anywhere. REALTIME: each waiter may be one
 *   of higher priority each time that it queues.
 *
 * What is left out, and what has it instead
 *   Parking: a parker is a flag, notified. parker.pml; a poke of a mutex's waiter is a look more.
 *   The generation, is_foreign, take_back: fork.pml; the code in a handler that forks: races.*,
 *   regress.fork_in_handler_ends_wait_in_grandchild.
 *   lock_without_parker (trylock and sleep): surroundings.ownline.no_memory_*.
 *   `single`, with plain accesses: one thread, so no order of steps: conformance.ownline.*.
 *   own_mutex_abandon, a thread that ends in a wait: takes the steps of a timed waiter, as `withdraw` and
 *   `late` here: regress.thread_that_ends_in_a_lock_leaves_the_queue.
 *   owner, count, kind, waits: written by the owner or hints. Unlock by a stranger, for which alone
 *   hand_over sets LOCKED again and unlock_slow looks at it: conformance.ownline.mutex_*.
 *   Weak memory: docs/design/memory-ordering.md, litmus.
 *
 * Properties
 *   Mutual exclusion: assertion in critical_section. No lost wakeup, no deadlock: no invalid end state.
 *   Last access: every step on the mutex asserts `alive`; the thread that drops the last reference
 *   ends it right after its unlock. Bounded bypass: assertion in pass_over.
 *   Every waiter ends: the state graph has no cycle (pan -l finds none), so every run comes to an end,
 *   and that is a valid one.
 *
 * The defines MUTANT_name change one line each, and every one must be rejected: tests/model/cases has
 * the list, with the property that each breaks.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS_0
#define ROUNDS_0 2
#endif
#ifndef ROUNDS_1
#define ROUNDS_1 1
#endif
#ifndef ROUNDS_2
#define ROUNDS_2 1
#endif
#ifndef ROUNDS_3
#define ROUNDS_3 1
#endif
#ifndef ROUNDS_4
#define ROUNDS_4 1
#endif
#define NOBODY 255

/* Acquisitions until a waiter is old. */
#ifndef AGE
#define AGE 1
#endif
#ifndef BYPASS_BOUND
#define BYPASS_BOUND 4
#endif

mtype = { LOCK, TIMED, TRY, REQUEUED };
mtype = { CLAIM_NONE, CLAIM_MUTEX, CLAIM_POPPED };

bool L, W, Q, D; /* the word: LOCKED, WAITERS, QUEUE, DESIGNATED */
byte queue[THREADS];
byte length;
byte holder = NOBODY; /* of Q */

bool notified[THREADS];
bool granted[THREADS];
mtype claim[THREADS] = CLAIM_NONE;

bool alive = true;
byte references = THREADS;
byte inside;

#ifdef BYPASS
/* Ages, in acquisitions; they stop at OLDEST. */
#define OLDEST (AGE + 1)
byte since_handed;
byte age[THREADS];
byte bypassed[THREADS];
bool waits[THREADS]; /* from its first queueing on */
#define HANDED_PAST (since_handed >= AGE)
#define OLD(t) (age[t] >= AGE)
#define GROW(moment) moment = (moment < OLDEST -> moment + 1 : OLDEST)
#endif

#define TOUCH assert(alive)
#define HOLDS_QUEUE TOUCH; assert(Q && holder == me) /* I1 */

/* The clock of BYPASS. */
inline acquired()
{
#ifdef BYPASS
	GROW(since_handed);
	other = 0;
	do
	:: other < THREADS ->
		if
		:: waits[other] -> GROW(age[other])
		:: else
		fi;
		other++
	:: else -> break
	od;
	other = 0
#else
	skip
#endif
}

/* An unlocker chooses who is next: whoever stays in the queue is passed over. While another thread
 * is in the middle of changing the queue it has no choice, which is as long as some instructions. */
inline pass_over()
{
#ifdef BYPASS
	other = 0;
	do
	:: other < THREADS ->
		if
		:: !Q && claim[other] == CLAIM_MUTEX ->
			bypassed[other]++;
			assert(bypassed[other] <= BYPASS_BOUND)
		:: else
		fi;
		other++
	:: else -> break
	od;
	other = 0
#else
	skip
#endif
}

#include "mutex_queue.pml"

/* The step shared by everybody who takes the mutex. (M-lock) */
inline take(drop_designated)
{
	TOUCH;
	L = true;
	if
	:: drop_designated -> D = false
	:: else
	fi;
	acquired()
}

inline try_take()
{
	atomic {
		TOUCH;
		taken = false;
		if
		:: !L -> take(designated); taken = true
#ifdef MUTANT_passer_by_designates
		:: L && W && !D -> D = true
#endif
		:: else
		fi
	}
}

/* More looks than one change nothing. */
inline own_spin_lock()
{
	try_take()
}

/* True in `taken`: the mutex came free first. */
inline enter_or_take()
{
	taken = false;
	if
	:: atomic { !L -> take(designated); taken = true }
	:: atomic { L && !Q -> TOUCH; Q = true; holder = me } /* (M-queue) */
	fi;
	if
	:: taken
	:: !taken ->
		atomic {
			HOLDS_QUEUE;
			notified[me] = false; /* own_parker_prepare */
			granted[me] = false;
			claim[me] = CLAIM_MUTEX;
#ifdef REALTIME
			if
			:: realtime = false
			:: realtime = true
			fi;
#endif
			if
			:: designated || realtime -> own_queue_push_by_age(me)
			:: else -> own_queue_push(me)
			fi
		}
#ifdef MUTANT_spinner_keeps_designation
		leave_queue(false, false, false);
#else
		leave_queue(false, false, designated || realtime);
#endif
		realtime = false;
		notify_if_any(popped)
	fi
}

/* False in `queued`: popped meanwhile, a notification is on its way. */
inline withdraw()
{
	wait_for_queue();
	atomic {
		HOLDS_QUEUE;
		queued = claim[me] == CLAIM_MUTEX;
		if
		:: queued -> own_queue_remove(me); claim[me] = CLAIM_NONE
		:: else
		fi
	}
#ifdef MUTANT_withdraw_takes_the_wake_along
	queued = true;
#endif
	leave_queue(false, false, false);
	notify_if_any(popped)
}

inline pass_designation()
{
	wait_for_queue();
	leave_queue(false, false, true);
	notify_if_any(popped)
}

/* Sets timed_out, or returns when notified; `late`: the deadline passed, a waker was faster. */
inline wait_in_queue()
{
	do
	:: atomic { notified[me] -> claim[me] = CLAIM_NONE; break } /* (P-seen) */
#ifdef MUTANT_late_waiter_keeps_deadline
	:: timed ->
#else
	:: timed && !late ->
#endif
		withdraw();
		if
		:: queued -> timed_out = true; break
		:: else -> late = true
		fi;
		queued = false
	od
}

inline lock_queued()
{
	do
	:: enter_or_take();
	   if
	   :: taken -> break
	   :: else
	   fi;
	   wait_in_queue();
	   if
	   :: timed_out -> break
	   :: !timed_out && granted[me] -> break
	   :: else
	   fi;
	   designated = true;
	   own_spin_lock();
	   if
	   :: taken -> break
	   :: !taken && late ->
#ifndef MUTANT_late_waiter_keeps_designation
		pass_designation();
#endif
		timed_out = true;
		break
	   :: else
	   fi
	od
}

inline wait_is_over()
{
	atomic {
#ifdef BYPASS
		bypassed[me] = 0;
		age[me] = 0;
		waits[me] = false;
#endif
		designated = false;
		late = false;
		queued = false;
		taken = false
	}
}

/* Returns with the mutex, or with timed_out. */
inline own_mutex_lock_slow()
{
	designated = false;
	own_spin_lock();
	if
	:: taken
	:: else ->
#ifdef BYPASS
		age[me] = 0;
		waits[me] = true;
#endif
		lock_queued()
	fi;
	wait_is_over()
}

/* own_cond_wait's last steps for a waiter that broadcast moved to the mutex: it is notified from there. */
inline own_mutex_lock_requeued()
{
	atomic { notified[me] -> claim[me] = CLAIM_NONE } /* (P-seen) */
	if
#ifndef MUTANT_requeued_forgets_grant
	:: granted[me]
#endif
	:: else ->
		designated = true;
		own_spin_lock();
		if
		:: taken
		:: else -> lock_queued()
		fi
	fi;
	wait_is_over()
}

/* By a broadcast, which need not hold the mutex. */
inline own_mutex_requeue(t)
{
	wait_for_queue();
	atomic {
		HOLDS_QUEUE;
		claim[t] = CLAIM_MUTEX;
		own_queue_push(t)
	}
	leave_queue(false, false, false);
	notify_if_any(popped)
}

inline own_mutex_try_fast()
{
	atomic {
		TOUCH;
		taken = false;
		if
		:: !L && !W && !Q && !D -> take(false); taken = true
		:: else
		fi
	}
}

inline own_mutex_trylock()
{
	atomic {
		TOUCH;
		taken = false;
		if
		:: !L -> take(false); taken = true
		:: else
		fi
	}
}

#include "mutex_unlock.pml"

inline own_mutex_unlock_fast()
{
	atomic {
		TOUCH;
		taken = false;
		if
		:: L && !W && !Q && !D -> L = false; taken = true /* (M-unlock) */
		:: else
		fi
	}
}

inline lock()
{
	own_mutex_try_fast();
	if
	:: taken
	:: else -> own_mutex_lock_slow()
	fi
}

inline unlock()
{
	own_mutex_unlock_fast();
	if
	:: taken
	:: else -> own_mutex_unlock_slow()
	fi
}

inline critical_section()
{
	atomic {
		inside++;
		assert(inside == 1 && L)
	}
	atomic {
		inside--;
#ifndef BYPASS
		if
		:: rounds == 1 -> references--; last = references == 0
		:: else
		fi
#endif
	}
}

proctype thread(byte me; byte rounds; mtype kind)
{
	bool taken, timed, timed_out, designated, late, queued, last, realtime;
	bool raw_L, raw_D, new_L, new_D;
	byte popped = NOBODY, heir = NOBODY;
	byte slot, place, next;
#ifdef BYPASS
	byte other;
#endif

	do
	:: rounds > 0 ->
		timed = false;
		if
		:: kind == LOCK -> lock()
		:: kind == TIMED -> timed = true; lock()
		:: kind == TRY ->
			own_mutex_trylock();
			if
			:: taken
			:: else -> lock()
			fi
		:: kind == REQUEUED -> own_mutex_lock_requeued(); kind = LOCK
		fi;
		if
		:: timed_out ->
			/* A timed waiter comes back and stays: it holds a reference. */
			timed_out = false;
			kind = LOCK
		:: else ->
			critical_section();
			unlock();
#ifdef BYPASS
			if
			:: me != 0 -> rounds--
			:: else
			fi
#else
			rounds--
#endif
		fi
	:: else -> break
	od;
	if
	:: last -> alive = false
	:: else
	fi
}

#ifdef REQUEUE
#define KIND_1 REQUEUED

proctype own_cond_broadcast(byte me)
{
	bool raw_L, raw_D, new_L, new_D;
	byte popped = NOBODY;
	byte slot;

	own_mutex_requeue(1)
}
#endif

#ifndef KIND_0
#define KIND_0 LOCK
#endif
#ifndef KIND_1
#define KIND_1 LOCK
#endif
#ifndef KIND_2
#define KIND_2 TIMED
#endif
#ifndef KIND_3
#define KIND_3 LOCK
#endif
#ifndef KIND_4
#define KIND_4 LOCK
#endif

init
{
	atomic {
		run thread(0, ROUNDS_0, KIND_0);
		run thread(1, ROUNDS_1, KIND_1);
#if THREADS > 2
		run thread(2, ROUNDS_2, KIND_2);
#endif
#if THREADS > 3
		run thread(3, ROUNDS_3, KIND_3);
#endif
#if THREADS > 4
		run thread(4, ROUNDS_4, KIND_4);
#endif
#ifdef REQUEUE
		claim[1] = CLAIM_POPPED;
		run own_cond_broadcast(THREADS);
#endif
	}
}
