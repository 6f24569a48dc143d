/* The steps on the queue: runtime/core/mutex_queue.c and queue.h. mutex.pml says what is left out. */
inline own_queue_push(t)
{
	queue[length] = t;
	length++
}

/* By age, or by priority. What is not known here is answered either way: then any place will do. */
#ifdef BYPASS
#define MAY_STAND_BEFORE(t, other) (age[t] >= age[other])
#else
#define MAY_STAND_BEFORE(t, other) true
#endif

inline own_queue_push_by_age(t)
{
	place = 0;
	do
	:: place < length && MAY_STAND_BEFORE(queue[place], t) -> place++
	:: place < length && MAY_STAND_BEFORE(t, queue[place]) -> break
	:: place >= length -> break
	od;
	slot = length;
	do
	:: slot > place -> queue[slot] = queue[slot - 1]; slot--
	:: else -> break
	od;
	queue[place] = t;
	length++;
	slot = 0;
	place = 0
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
	claim[t] = CLAIM_POPPED
}

/* The C code chooses by CPU and priority: any of the queue. */
inline pop_designated(t)
{
	assert(length > 0);
	slot = 0;
	do
	:: slot + 1 < length -> slot++
	:: break
	od;
	t = queue[slot];
	pop(t)
}

/* (P-notify) */
inline own_parker_notify(t)
{
	atomic {
		assert(claim[t] == CLAIM_POPPED && !notified[t]); /* I5 */
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
			D = new_D && length > 0;
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
