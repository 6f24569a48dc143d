/*
 * A fork child and a mutex that the parent's threads were using (runtime/core/fork.h, mutex_word.h,
 * mutex_queue.c). Inlines are named after the C functions.
 *
 * The parent leaves any word behind: locked by the forking thread or free, any of W, Q and D, all
 * with generation 0, and a queue of parkers whose threads do not exist here. In the child the forking
 * thread and a new one use the mutex, by lock and unlock without what has nothing to do with
 * generations: spinning, time-outs, hand-over (mutex.pml has the whole of them).
 *
 * What is one step here and several there
 *   A load, own_word_flags, own_word_make and the compare-and-swap. Each step of the code reads the
 *   generation once; here it does not change, see below.
 *
 * What is left out, and what has it instead
 *   A mutex that another thread of the parent had locked stays locked, as POSIX has it:
 *   conformance.ownline.fork_child_finds_anothers_mutex_locked.
 *   own_fork_child, own_fork_check: the child has its own generation before a thread uses a lock.
 *   fork's handlers see to that, and in a child of _Fork the first thread that comes to own_fork_check
 *   while the others wait: regress.fork_child_threads_wait_for_its_generation.
 *   Handlers that fork in the middle of a slow path (is_foreign, take_back, own_parker_after_fork):
 *   races.*, stress.ownline.fork_storm, regress.fork_in_handler_ends_wait_in_grandchild.
 *   The condition variable: the same word and steps;
 *   conformance.ownline.fork_child_uses_condition_with_waiters.
 *
 * Properties
 *   No waiter of the parent is ever woken or linked: assertions on DEAD. Mutual exclusion; no lost
 *   wakeup, and the child waits for no bit of the parent's: no invalid end state, no cycle.
 */
#define DEAD 9
#define NOBODY 255
#define SLOTS 4
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef THREADS
#define THREADS 2
#endif

bool L, W, Q, D;
bit word_generation; /* of the word; zero where W, Q and D are clear */
bit own_generation = 1;
byte queue[SLOTS];
byte length;
bool notified[THREADS];
byte inside;

/* own_word_flags: bits of a foreign generation are zero. */
#ifdef MUTANT_foreign_bits_count
#define OURS true
#else
#define OURS (word_generation == own_generation)
#endif
#define HAS_W (W && OURS)
#define HAS_Q (Q && OURS)
#define HAS_D (D && OURS)

inline own_word_make(new_L, new_W, new_Q, new_D)
{
	L = new_L;
	W = new_W;
	Q = new_Q;
	D = new_D;
#ifdef MUTANT_bits_without_generation
	word_generation = 0
#else
	word_generation = (W || Q || D -> own_generation : 0)
#endif
}

/* In one step with its CAS. The queue of a word without W is empty, whatever its pointers say. */
inline take_queue(new_L, new_D)
{
	flag_W = HAS_W;
#ifdef MUTANT_reset_only_foreign
	foreign = (W || Q || D) && !OURS;
#else
	foreign = !flag_W;
#endif
	own_word_make(new_L, flag_W, true, new_D);
	if
	:: foreign -> length = 0
	:: else
	fi
}

inline pop(t)
{
	t = queue[0];
	assert(t != DEAD);
	slot = 0;
	do
	:: slot + 1 < length -> queue[slot] = queue[slot + 1]; slot++
	:: else -> break
	od;
	length--;
	queue[length] = 0;
	slot = 0
}

inline own_parker_notify(t)
{
	notified[t] = true;
	t = NOBODY
}

/* One step with its CAS: nobody else pops. */
inline leave_queue(keep_D)
{
	flag_L = L;
	flag_D = HAS_D && keep_D;
	if
	:: length > 0 && !flag_L && !flag_D -> pop(popped); flag_D = true
	:: else
	fi;
	own_word_make(flag_L, length > 0, false, flag_D)
}

inline notify_if_any()
{
	if
	:: popped != NOBODY -> own_parker_notify(popped)
	:: else
	fi
}

inline lock()
{
	designated = false;
	do
	:: atomic {
		!L ->
		flag_W = HAS_W;
		flag_Q = HAS_Q;
		flag_D = HAS_D && !designated;
		own_word_make(true, flag_W, flag_Q, flag_D);
		break
	   }
	:: atomic { L && !HAS_Q -> flag_D = HAS_D; take_queue(true, flag_D) }
	   atomic {
		assert(length + 1 < SLOTS);
		assert(length == 0 || queue[0] != DEAD);
		notified[me] = false;
		queue[length] = me;
		length++
	   }
	   atomic { leave_queue(!designated) }
	   notify_if_any();
	   notified[me] -> designated = true
	od
}

inline unlock()
{
	atomic {
		assert(L);
		if
		:: HAS_W && !HAS_Q -> take_queue(false, true); wake = true
		:: else ->
			flag_W = HAS_W;
			flag_Q = HAS_Q;
			flag_D = HAS_D;
			own_word_make(false, flag_W, flag_Q, flag_D);
			wake = false
		fi
	}
	if
	:: wake ->
		atomic { pop(heir) }
		atomic { leave_queue(true) }
		notify_if_any();
		own_parker_notify(heir)
	:: else
	fi
}

proctype thread(byte me; bool holds)
{
	byte rounds = ROUNDS;
	byte popped = NOBODY, heir = NOBODY, slot;
	bool flag_L, flag_W, flag_Q, flag_D, foreign, designated, wake;

	if
	:: holds -> unlock()
	:: else
	fi;
	do
	:: rounds > 0 ->
		lock();
		atomic { inside++; assert(inside == 1) }
		inside--;
		unlock();
		rounds--
	:: else -> break
	od
}

init
{
	bool held;

	atomic {
		/* What the parent left. */
		if
		:: held = true; L = true
		:: held = false
		fi;
		if
		:: W = true; queue[0] = DEAD; queue[1] = DEAD; length = 2
		:: length = 1; queue[0] = DEAD; Q = true /* cut short in the middle of a change */
		:: skip
		fi;
		if
		:: Q = true
		:: skip
		fi;
		if
		:: D = true
		:: skip
		fi;
		run thread(0, held);
		run thread(1, false)
#if THREADS > 2
		;
		run thread(2, false)
#endif
	}
}
