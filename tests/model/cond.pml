/*
 * The condition variable of runtime/core/cond.c. Inlines are named after the C functions.
 *
 * Waiter 0 waits until it has the token. Waiter 1 (KIND_1) may leave without: by time-out, or because it is
 * cancelled; if it is woken instead, it passes the token on. Waiter 2, if any, is like waiter 0.
 * One thread provides the token, by signal, or for everybody by broadcast (BROADCAST), and with that
 * destroys the variable at once and ends its life.
 *
 * What is one step here and several there
 *   A load and the compare-and-swap behind it; a claim and the unlinking that follows under QUEUE.
 *   The mutex is one step each: LOCKED, DESIGNATED and a queue of those requeued to it; each unlock
 *   wakes one of them. A waiter of the mutex alone is blocked until it is free. mutex.pml has the rest,
 *   also hand-over to a waiter that was requeued (REQUEUE). own_mutex_requeue takes one waiter each;
 *   requeue_run's runs are several such in a row.
 *
 * What is answered either way
 *   Time-outs may come at any time. signal and broadcast are called with the mutex held or not.
 *
 * What is left out, and what has it instead
 *   What a waker learns (teach): it reads parkers that are popped and not yet notified, under Q.
 *   The parker's PARKED: parker.pml. Here its word is SPINNING, NOTIFIED or POKED.
 *   Waiters of another mutex, or that may not be requeued: broadcast notifies these as it does the first
 *   WAKES. conformance.ownline.cond_used_with_one_mutex_after_another, .cond_wait_with_every_mutex_kind.
 *   call_off: conformance.ownline.cond_wait_without_the_mutex_is_eperm. wait_without_parker:
 *   surroundings.ownline.no_memory_*. Unwinding after test_cancel: conformance.ownline.cancel_*.
 *   Order by priority: conformance.ownline.cond_signal_wakes_the_highest_priority_first. Generations:
 *   conformance.ownline.fork_child_uses_condition_with_waiters, races.*.
 *   Weak memory, which (C-poke)'s fences are for: docs/design/memory-ordering.md, litmus.
 *
 * Properties
 *   No signal is lost: waiter 0 ends, else there is an invalid end state. Every waiter ends, also by
 *   cancellation: no invalid end state, no cycle. Last access: every step on the variable asserts `alive`.
 *   Claims: assertion in own_parker_notify.
 */
#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef KIND_1
#define KIND_1 TIMED
#endif
#ifndef WAKES
#define WAKES 1
#endif
#define NOBODY 255

mtype = { PLAIN, TIMED, CANCELLED };
mtype = { SPINNING, NOTIFIED, POKED };
mtype = { CLAIM_NONE, CLAIM_COND, CLAIM_LEAVING, CLAIM_POPPED, CLAIM_MUTEX };

/* The variable's word and queue. */
bool W, Q;
byte queue[WAITERS];
byte length;
bool alive = true;

/* The mutex: LOCKED, DESIGNATED, and the waiters that were requeued. */
bool locked, D;
byte requeued[WAITERS];
byte requeued_length;

mtype word[WAITERS] = NOTIFIED; /* left from an earlier wait */
mtype claim[WAITERS] = CLAIM_NONE;
bool designated[WAITERS];
bool cancellable[WAITERS];
bool marked[WAITERS];

byte tokens;
bool ready;

#define TOUCH assert(alive)

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

/* (P-notify) */
inline own_parker_notify(t)
{
	atomic {
		assert(word[t] != NOTIFIED);
		assert(claim[t] == CLAIM_POPPED);
		word[t] = NOTIFIED
	}
}

inline wake_requeued()
{
	if
	:: requeued_length > 0 ->
		D = true;
		slot = requeued[0];
		requeued_length--;
		requeued[0] = requeued[requeued_length];
		requeued[requeued_length] = 0;
		designated[slot] = true;
		claim[slot] = CLAIM_POPPED;
		own_parker_notify(slot);
		slot = 0
	:: else
	fi
}

inline own_mutex_lock()
{
	atomic { !locked -> locked = true }
}

inline own_mutex_lock_requeued()
{
	atomic {
		!locked ->
		locked = true;
#ifndef MUTANT_requeued_forgets_designation
		D = false
#endif
	}
}

inline own_mutex_unlock()
{
	atomic {
		assert(locked);
		locked = false;
		wake_requeued()
	}
}

/* (C-queue) */
inline take_queue()
{
	atomic { !Q -> TOUCH; Q = true }
}

/* (C-leave) */
inline leave_queue()
{
	atomic {
		TOUCH;
		assert(Q);
		W = length > 0;
		Q = false
	}
}

inline enter()
{
	take_queue();
	atomic { TOUCH; claim[me] = CLAIM_COND; queue[length] = me; length++ };
	leave_queue()
}

/* Leaves true in `left` if the waiter is out. (C-claim) */
inline withdraw()
{
#ifdef MUTANT_leaves_without_claim
	take_queue();
	atomic {
		left = claim[me] == CLAIM_COND;
		if
		:: left -> own_queue_remove(me); claim[me] = CLAIM_NONE
		:: else
		fi
	}
	leave_queue();
#else
	atomic {
		if
		:: claim[me] == CLAIM_COND -> claim[me] = CLAIM_LEAVING; left = true
		:: else -> left = false
		fi
	}
	if
	:: left ->
		take_queue();
		atomic { TOUCH; own_queue_remove(me); claim[me] = CLAIM_NONE };
		leave_queue()
	:: else
	fi;
#endif
#ifdef MUTANT_timeout_takes_the_signal_along
	left = true
#else
	skip
#endif
}

inline wait_in_queue()
{
	do
	:: word[me] == NOTIFIED -> left = false; break /* (P-seen) */
	:: atomic { word[me] == POKED -> word[me] = SPINNING }
		withdraw();
		if
		:: left -> break
		:: else -> timed = false
		fi
	:: timed && word[me] == SPINNING ->
		withdraw();
		if
		:: left -> timed_out = true; break
		:: else -> timed = false
		fi
	od
}

/* Waiter's test for cancellation: does not return if it is marked; the mutex is held. */
inline test_cancel()
{
	if
	:: marked[me] -> cancelled = true
	:: else
	fi
}

inline own_parker_prepare()
{
	word[me] = SPINNING;
	designated[me] = false
}

inline lock_again()
{
	cancellable[me] = false;
	claim[me] = CLAIM_NONE;
	if
	:: designated[me] -> own_mutex_lock_requeued() /* was_requeued */
	:: else -> own_mutex_lock()
	fi
}

inline own_cond_wait()
{
#ifdef MUTANT_tests_before_preparing
	cancellable[me] = true; /* (C-poke) */
	test_cancel();
	own_parker_prepare();
#elif defined MUTANT_tests_before_publishing
	own_parker_prepare();
	test_cancel();
	cancellable[me] = true;
#else
	own_parker_prepare();
	cancellable[me] = true; /* (C-poke) */
	test_cancel();
#endif
	if
	:: cancelled -> cancellable[me] = false
	:: else ->
#ifdef MUTANT_enters_after_unlock
		own_mutex_unlock();
		enter();
#else
		enter();
		own_mutex_unlock();
#endif
		wait_in_queue();
		lock_again();
		if
		:: left && !timed_out -> test_cancel()
		:: else
		fi
	fi
}

inline own_cond_signal()
{
	atomic { TOUCH; look = W || Q }
	if
	:: look ->
		take_queue();
		chosen = NOBODY;
		index = 0;
		do
		:: index < length && chosen == NOBODY ->
			atomic {
				TOUCH;
				if
#ifdef MUTANT_signal_takes_leaving_waiter
				:: claim[queue[index]] != CLAIM_NONE ->
#else
				:: claim[queue[index]] == CLAIM_COND ->
#endif
					chosen = queue[index];
#ifdef MUTANT_signal_takes_leaving_waiter
					if
					:: claim[chosen] == CLAIM_COND -> claim[chosen] = CLAIM_POPPED; own_queue_remove(chosen)
					:: else
					fi
#else
					claim[chosen] = CLAIM_POPPED;
					own_queue_remove(chosen)
#endif
				:: else -> index++
				fi
			}
		:: else -> break
		od;
		leave_queue();
		if
		:: chosen != NOBODY && claim[chosen] == CLAIM_POPPED -> own_parker_notify(chosen)
		:: else
		fi;
		chosen = NOBODY;
		index = 0
	:: else
	fi
}

inline own_mutex_requeue(t)
{
	atomic {
		claim[t] = CLAIM_MUTEX;
		requeued[requeued_length] = t;
		requeued_length++;
		if /* leave_queue */
#ifndef MUTANT_requeue_to_a_free_mutex
		:: !locked && !D -> wake_requeued()
#endif
		:: else
		fi
	}
}

inline own_cond_broadcast()
{
	atomic { TOUCH; look = W || Q }
	if
	:: look ->
		take_queue();
		index = 0;
		do /* pop_all */
		:: index < length ->
			atomic {
				TOUCH;
				if
				:: claim[queue[index]] == CLAIM_COND ->
					list[listed] = queue[index];
					claim[queue[index]] = CLAIM_POPPED;
					listed++;
					own_queue_remove(list[listed - 1])
				:: else -> index++
				fi
			}
		:: else -> break
		od;
		leave_queue();
		index = 0;
		do
		:: index < listed ->
			if
			:: index < WAKES -> own_parker_notify(list[index])
			:: else -> own_mutex_requeue(list[index])
			fi;
			index++
		:: else -> break
		od
	:: else
	fi
}

inline own_cond_destroy()
{
	atomic {
#ifdef MUTANT_destroy_does_not_wait
		true ->
#else
		!W && !Q ->
#endif
		TOUCH;
		alive = false
	}
}

proctype waiter(byte me; mtype kind)
{
	bool timed, timed_out, cancelled, left, look, woken;
	byte slot, index, chosen = NOBODY;

	own_mutex_lock();
	do
	:: tokens > 0 || ready -> woken = true; break
	:: else ->
		timed = kind == TIMED;
		own_cond_wait();
		if
		:: timed_out || cancelled -> break
		:: else
		fi
	od;
	if
	:: ready || !woken
	:: else ->
		if
		:: kind == PLAIN -> tokens--
		:: else -> own_cond_signal() /* passes the token on */
		fi
	fi;
	own_mutex_unlock()
}

proctype provider()
{
	byte slot, index, listed, chosen = NOBODY;
	byte list[WAITERS];
	bool look, inside;

	own_mutex_lock();
#ifdef BROADCAST
	ready = true;
#else
	tokens = WAITERS - 1;
#endif
	if
	:: own_mutex_unlock()
	:: inside = true
	fi;
#ifdef BROADCAST
	own_cond_broadcast();
	if
	:: inside -> own_mutex_unlock()
	:: else
	fi;
	own_cond_destroy()
#else
	own_cond_signal();
#if WAITERS > 2
	own_cond_signal();
#endif
	if
	:: inside -> own_mutex_unlock()
	:: else
	fi
#endif
}

/* pthread_cancel: glibc's mark, then own_parker_poke. */
proctype own_posix_cancel(byte t)
{
	marked[t] = true; /* (C-poke) */
	if
	:: cancellable[t] ->
		atomic {
			if
			:: word[t] == SPINNING -> word[t] = POKED
			:: else
			fi
		}
	:: else
	fi
}

init
{
	atomic {
		run waiter(0, PLAIN);
		run waiter(1, KIND_1);
#if WAITERS > 2
		run waiter(2, PLAIN);
#endif
#ifdef CANCEL
		run own_posix_cancel(1);
#endif
		run provider()
	}
}
