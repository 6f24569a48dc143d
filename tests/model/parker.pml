/*
 * The parker of runtime/core/parker.c: one waiter that waits several times on the same word, a waker
 * for each wait, and a canceller that pokes. Inlines are named after the C functions.
 *
 * What is one step here and several there
 *   The queue is one flag, changed in one step, as under its bit (mutex.pml and cond.pml have it).
 *   FUTEX_WAIT compares and falls asleep in one step, as under the kernel's bucket lock. It also ends
 *   for no reason (signals), SPURIOUS times, so that every run is finite; and own_futex_wake may be
 *   late, and meet the next wait.
 *   own_spin_on_word, with the last look before parking, is a look or none. own_parker_poke's swap is
 *   one step with its load: one that fails is made again.
 *
 * What is left out, and what has it instead
 *   own_parker_teach, own_parker_count_spin and `spun`: numbers that say whether to spin, which is a
 *   time: scripts/bench. What is counted around a wait (own_buckets_enter and _leave, wait_in_kernel):
 *   all of it before the step to PARKED or after the wait: unit.buckets, trace.agreement.
 *   Whether a thread may be poked (`cancellable`): cond.pml.
 *   own_parker_acquire and _release, the free lists of parker_slab.c, own_parker_after_fork:
 *   unit.parker_slab, stress.ownline.fork_storm, regress.fork_in_handler_ends_wait_in_grandchild.
 *   A waiter that was poked goes on or gives up, either way: what for is the caller's business.
 *
 * Properties
 *   P1, P2: assertions in own_parker_notify: a notification meets the wait that it is meant for, once.
 *   No lost wakeup: no invalid end state. Every waiter ends: the state graph has no cycle.
 *   Last access: a parker is given to the next wait as soon as one has ended, which is what P2 is about.
 */
#ifndef WAITS
#define WAITS 2
#endif
#ifndef POKES
#define POKES 2
#endif
#ifndef SPURIOUS
#define SPURIOUS 1
#endif

mtype = { SPINNING, PARKED, NOTIFIED, POKED };
mtype = { WOKEN, MISMATCH, TIMED_OUT, INTERRUPTED };
mtype = { BY_NOTIFICATION, BY_TIMEOUT, BY_POKE };

mtype word = NOTIFIED;
bool queued;  /* in a queue, to be popped */
byte wait_number;
bool asleep;  /* in the kernel, on this word */
byte spurious = SPURIOUS;

inline own_futex_wake()
{
	asleep = false
}

/* Falls asleep if the word is PARKED, in one step. */
inline own_futex_wait()
{
	if
	:: atomic {
#ifdef MUTANT_kernel_does_not_compare
		true ->
#else
		word == PARKED ->
#endif
		asleep = true
	   }
	   if
	   :: atomic { !asleep -> outcome = WOKEN }
	   :: atomic { asleep && timed -> asleep = false; outcome = TIMED_OUT }
	   :: atomic { asleep && spurious > 0 -> spurious--; asleep = false; outcome = INTERRUPTED }
	   fi
#ifndef MUTANT_kernel_does_not_compare
	:: atomic { word != PARKED -> outcome = MISMATCH }
#endif
	fi
}

inline own_parker_prepare()
{
	word = SPINNING
}

inline own_parker_wait()
{
	reason = 0;
	/* The deadline may have passed before the wait. */
	if
	:: timed ->
		if
		:: word == SPINNING -> reason = BY_TIMEOUT; goto ended
		:: else -> goto changed
		fi
	:: true
	fi;
	/* own_spin_on_word: sees a change, or gives up looking */
	if
	:: word != SPINNING -> goto changed
	:: true
	fi;
	do
	:: atomic {
		if
#ifdef MUTANT_park_by_store
		:: true -> word = PARKED
#else
		:: word == SPINNING || word == PARKED -> word = PARKED
		:: else -> goto changed
#endif
		fi
	   }
	   own_futex_wait();
	   if
	   :: word != PARKED -> goto changed /* (P-seen) */
	   :: else
	   fi;
	   if
	   :: outcome == TIMED_OUT ->
		atomic {
			if
#ifdef MUTANT_timeout_by_store
			:: true -> word = SPINNING; reason = BY_TIMEOUT; goto ended
#else
			:: word == PARKED -> word = SPINNING; reason = BY_TIMEOUT; goto ended
			:: else -> goto changed
#endif
			fi
		}
	   :: else
	   fi
	od;
changed:
	if /* (P-seen) */
	:: word == NOTIFIED -> reason = BY_NOTIFICATION
	:: else ->
		atomic {
			if
			:: word == POKED -> word = SPINNING; reason = BY_POKE
			:: else -> assert(word == NOTIFIED); reason = BY_NOTIFICATION
			fi
		}
	fi;
ended:
	skip
}

proctype waiter()
{
	mtype outcome, reason;
	bool timed, popped;
	byte waits = WAITS;

	do
	:: waits > 0 ->
		if
		:: timed = true
		:: timed = false
		fi;
		own_parker_prepare();
		atomic { wait_number++; queued = true }
again:
		own_parker_wait();
		if
		:: reason == BY_NOTIFICATION -> assert(!queued)
		:: reason == BY_POKE -> goto again
		:: reason != BY_NOTIFICATION ->
			atomic { popped = !queued; queued = false }
			timed = false;
			if
#ifndef MUTANT_popped_waiter_does_not_wait
			:: popped -> goto again
#endif
			:: else
			fi
		fi;
		waits--
	:: else -> break
	od;
	wait_number++
}

proctype own_parker_notify()
{
	mtype old = NOTIFIED;
	byte meant;

end:
	atomic { queued -> queued = false; meant = wait_number } /* pop */
	atomic {
		assert(meant == wait_number); /* P2 */
		assert(word != NOTIFIED); /* P1 */
		old = word;
#ifdef MUTANT_notify_in_two_steps
	}
	atomic {
#endif
		word = NOTIFIED /* (P-notify) */
	}
	if
#ifndef MUTANT_notify_without_wake
	:: old == PARKED -> own_futex_wake()
#endif
	:: else
	fi
}

proctype own_parker_poke()
{
	mtype old = NOTIFIED;
	byte pokes = POKES;

	do
	:: pokes > 0 ->
		atomic {
			old = word;
			if
#ifdef MUTANT_poke_by_store
			:: old == SPINNING || old == PARKED ->
#else
			:: word == SPINNING || word == PARKED -> word = POKED
#endif
			:: else -> old = NOTIFIED
			fi
		}
#ifdef MUTANT_poke_by_store
		if
		:: old != NOTIFIED -> word = POKED
		:: else
		fi;
#endif
		if
#ifndef MUTANT_poke_without_wake
		:: old == PARKED -> own_futex_wake()
#endif
		:: else
		fi;
		pokes--
	:: else -> break
	od
}

init
{
	byte i;

	atomic {
		run waiter();
		run own_parker_poke();
		do
		:: i < WAITS -> run own_parker_notify(); i++
		:: else -> break
		od
	}
}
