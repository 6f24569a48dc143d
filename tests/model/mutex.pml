/*
 * The mutex of runtime/core/mutex.c, mutex_unlock.c and mutex_queue.c, with spin.c's part in it. Inlines
 * are named after the C functions (own_mutex_ left out where the name is long).
 *
 * Abstractions
 *   A load of the word and the compare-and-swap behind it are one step: if another thread comes
 *   between, the swap fails and changes nothing. leave_queue keeps what it popped over a failed swap,
 *   so there the two are apart.
 *   Waiting for QUEUE is a blocked step. Spinning is at most one look more than none.
 *   The parker is a flag (parker.pml has its states): notified.
 *   Time: without BYPASS every question about age is answered either way. With BYPASS the clock is the
 *   number of acquisitions, so ages are counts of bypasses; thread 0 locks for ever.
 *   Which waiter the designated one becomes (by its CPU) is the first or the last of the queue: with
 *   three threads any. A designated waiter that lost queues before all others, not by its age.
 *   REALTIME: every waiter may be one of higher priority than the others each time that it queues.
 *
 * Properties
 *   Mutual exclusion: assertion in critical_section. No lost wakeup, no deadlock: no invalid end state.
 *   Last access: every step on the mutex asserts `alive`; the thread that drops the last reference
 *   ends it right after its unlock. Bounded bypass: assertion in pass_over.
 *   Every waiter ends: the state graph has no cycle (pan -l finds none), so every run comes to an end,
 *   and that is a valid one.
 *
 * The defines MUTANT_name change one line each, and every one must be rejected. run-model has the
 * list, with the property that each breaks.
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
#define NOBODY 255

/* Acquisitions until a waiter is old. */
#ifndef AGE
#define AGE 1
#endif
#ifndef BYPASS_BOUND
#define BYPASS_BOUND 5
#endif

mtype = { LOCK, TIMED, TRY };
mtype = { NONE, QUEUED, POPPED };

bool L, W, Q, D; /* the word: LOCKED, WAITERS, QUEUE, DESIGNATED */
byte queue[THREADS];
byte length;
byte holder = NOBODY; /* of Q */

bool notified[THREADS];
bool granted[THREADS];
mtype claim[THREADS] = NONE;

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
		:: !Q && claim[other] == QUEUED ->
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

inline own_queue_push_tail(t)
{
	queue[length] = t;
	length++
}

inline own_queue_push_head(t)
{
	slot = length;
	do
	:: slot > 0 -> queue[slot] = queue[slot - 1]; slot--
	:: else -> break
	od;
	queue[0] = t;
	length++
}

inline own_queue_remove(t)
{
	slot = 0;
	do
	:: queue[slot] != t -> slot++
	:: else -> break
	od;
	do
	:: slot + 1 < length -> queue[slot] = queue[slot + 1]; slot++
	:: else -> break
	od;
	length--;
	queue[length] = 0;
	slot = 0
}

inline pop(t)
{
	HOLDS_QUEUE;
	own_queue_remove(t);
	claim[t] = POPPED
}

inline pop_designated(t)
{
	assert(length > 0);
	if
	:: t = queue[0]
#ifndef FIRST_ONLY
	:: length > 1 -> t = queue[length - 1]
#endif
	fi;
	pop(t)
}

/* (P-notify) */
inline own_parker_notify(t)
{
	atomic {
		assert(claim[t] == POPPED && !notified[t]); /* I5 */
		notified[t] = true;
		t = NOBODY
	}
}

inline notify_if_any(t)
{
	if
	:: t != NOBODY -> own_parker_notify(t)
	:: else
	fi
}

/* Waits for the queue and takes it. (M-queue) */
inline wait_for_queue()
{
	atomic {
#ifndef MUTANT_two_queue_holders
		!Q ->
#endif
		TOUCH;
		Q = true;
		holder = me
	}
}

inline leave_queue(set_designated, clear_locked, clear_designated)
{
	popped = NOBODY;
	do
	:: atomic {
		HOLDS_QUEUE;
		raw_L = L;
		raw_D = D;
		new_L = L && !(clear_locked);
		new_D = (D && !(clear_designated)) || set_designated || popped != NOBODY;
		if
#ifndef MUTANT_leave_without_wake
		:: length > 0 && !new_L && !new_D -> pop_designated(popped); new_D = true
#endif
		:: else
		fi
	   }
	   atomic {
		HOLDS_QUEUE;
		if
		:: L == raw_L && D == raw_D ->
			L = new_L;
			D = new_D;
			W = length > 0;
			Q = false; /* (M-leave) */
			holder = NOBODY;
			raw_L = false;
			raw_D = false;
			new_L = false;
			new_D = false;
			break
		:: else
		fi
	   }
	od
}

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
			claim[me] = QUEUED;
#ifdef REALTIME
			if
			:: realtime = false
			:: realtime = true
			fi;
#endif
			if
			:: first || realtime -> own_queue_push_head(me)
			:: else -> own_queue_push_tail(me)
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
		queued = claim[me] == QUEUED;
		if
		:: queued -> own_queue_remove(me); claim[me] = NONE
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
	:: atomic { notified[me] -> claim[me] = NONE; break } /* (P-seen) */
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
	first = false;
	late = false;
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
	   first = true;
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
	atomic {
#ifdef BYPASS
		bypassed[me] = 0;
		age[me] = 0;
		waits[me] = false;
#endif
		designated = false;
		first = false;
		late = false;
		queued = false;
		taken = false
	}
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

#ifdef BYPASS
#define FIRST_IS_OLD (length > 0 && OLD(queue[0]))
#define FIRST_IS_YOUNG (!FIRST_IS_OLD)
#define FIRST_IS_AGED (FIRST_IS_OLD && age[queue[0]] >= OLDEST)
#else
#define FIRST_IS_OLD (length > 0)
#define FIRST_IS_YOUNG true
#define FIRST_IS_AGED false
#endif

/* With the queue and the mutex held. Leaves the one to notify in `popped`. Whether the first waiter
 * sleeps is answered either way; one that is very old is handed the mutex though it sleeps. */
inline hand_over()
{
	if
	:: FIRST_IS_YOUNG ->
		atomic {
			HOLDS_QUEUE;
#ifdef BYPASS
			since_handed = age[queue[0]];
#endif
			pop_designated(heir)
		}
		leave_queue(true, true, false);
		notify_if_any(popped);
		popped = heir;
		heir = NOBODY
	:: FIRST_IS_OLD && !FIRST_IS_AGED -> /* it sleeps */
		atomic {
			heir = queue[0];
			pop(heir);
#ifdef BYPASS
			since_handed = 0;
#endif
		}
		leave_queue(true, true, false);
		notify_if_any(popped);
		popped = heir;
		heir = NOBODY
	:: FIRST_IS_OLD ->
		atomic {
			heir = queue[0];
			pop(heir);
			granted[heir] = true;
#ifdef BYPASS
			since_handed = 0;
#endif
			acquired()
		}
#ifdef MUTANT_hand_over_unlocks
		leave_queue(false, true, false);
#else
		leave_queue(false, false, false);
#endif
		notify_if_any(popped);
		popped = heir;
		heir = NOBODY
	fi
}

#ifdef BYPASS
#ifdef MUTANT_no_hand_over
#define HAND_OVER_DUE false
#else
#define HAND_OVER_DUE HANDED_PAST
#endif
#endif
#define NOBODY_TO_WAKE (!W || Q)

/* Continues in `next`: 0 released, 1 hand over, 2 wake. */
inline own_mutex_unlock_slow()
{
	atomic {
		TOUCH;
		assert(L);
		pass_over();
		if
		:: NOBODY_TO_WAKE -> L = false; next = 0 /* (M-unlock) */
#ifdef BYPASS
		:: !NOBODY_TO_WAKE && HAND_OVER_DUE -> Q = true; holder = me; next = 1
		:: !NOBODY_TO_WAKE && !HAND_OVER_DUE -> D = true; Q = true; holder = me; L = false; next = 2
#else
		:: W && !Q -> Q = true; holder = me; next = 1
		:: W && !Q -> /* (M-unlock), (M-queue) */
#ifdef MUTANT_release_then_queue
			L = false; next = 3
#else
			D = true; Q = true; holder = me; L = false; next = 2
#endif
#endif
		fi
	}
#ifdef MUTANT_release_then_queue
	if
	:: next == 3 -> wait_for_queue(); leave_queue(false, false, false); notify_if_any(popped)
	:: else
	fi;
#endif
	if
	:: next == 0 || next == 3
	:: next == 1 ->
		hand_over();
		notify_if_any(popped)
	:: next == 2 ->
		atomic { pop_designated(heir) }
#ifdef MUTANT_notify_before_leave
		own_parker_notify(heir);
#endif
		leave_queue(false, false, false);
		notify_if_any(popped);
#ifndef MUTANT_notify_before_leave
		own_parker_notify(heir)
#endif
	fi;
	next = 0
}

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
	bool taken, timed, timed_out, designated, first, late, queued, last, realtime;
	bool raw_L, raw_D, new_L, new_D;
	byte popped = NOBODY, heir = NOBODY;
	byte slot, next;
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
	}
}
