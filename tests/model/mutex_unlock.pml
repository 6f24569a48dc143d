/* Unlock: runtime/core/mutex_unlock.c. mutex.pml says what is left out. */
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
