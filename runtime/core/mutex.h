/* The mutex: inline fast paths, and the slow paths of mutex.c, which states the algorithm. */
#ifndef OWN_CORE_MUTEX_H
#define OWN_CORE_MUTEX_H

#include <errno.h>

#include "core/mutex_word.h"
#include "sys/cpu.h"
#include "sys/delay.h"
#include "sys/thread.h"

/*
 * Takes the mutex if no more than LOCKED stands in the way. The caller says so: own_mutex_taken.
 * `single`: no other thread exists, plain accesses do.
 */
static OWN_ALWAYS_INLINE bool own_mutex_try_fast(struct own_mutex *mutex, bool single)
{
	uint32_t expected = 0;

	if (single && own_likely(own_load_relaxed(&mutex->word) == 0)) {
		own_store_relaxed(&mutex->word, OWN_LOCKED);
		return true;
	}
	/* (M-lock), pairs with (M-unlock) */
	return own_cas_acquire(&mutex->word, &expected, OWN_LOCKED);
}

/*
 * The same, but only if the mutex is of the normal kind, whose number is zero: one swap compares
 * both. Between two changes of a mutex by its owners, its line is never loaded from: a processor
 * begins loads some hundred instructions early, while another thread has the mutex, and would take
 * the line from it to find old values. If the mutex is not taken, *kind is its kind.
 */
static OWN_ALWAYS_INLINE bool own_mutex_try_normal(struct own_mutex *mutex, bool single,
						   int32_t *kind)
{
	uint64_t seen = 0;

	/* One thread's processor has just stored the word alone. The sanitizer takes both together
	 * for another object. */
	if (single || OWN_THREAD_SANITIZER) {
		*kind = mutex->kind;
		return *kind == 0 && own_mutex_try_fast(mutex, single);
	}
	/* (M-lock), pairs with (M-unlock) */
	if (own_cas_acquire(&mutex->kind_and_word, &seen, (uint64_t)OWN_LOCKED << 32))
		return true;
	*kind = (int32_t)(uint32_t)seen;
	return false;
}

/*
 * The mutex has just been taken: who owns it, for debuggers; for spinners, where it runs, and a
 * count, of which they look how much it grows.
 */
static OWN_ALWAYS_INLINE void own_mutex_note(struct own_mutex *mutex, int32_t tid, uint32_t count)
{
	own_store_relaxed(&mutex->owner, tid);
	own_store_relaxed(&mutex->cpu, own_cpu_mark());
	own_store_relaxed(&mutex->count, count);
}

/*
 * It was taken at once. Each thread counts all mutexes that it takes so, and notes that: to count
 * in the mutex is to load from its line.
 */
static OWN_ALWAYS_INLINE void own_mutex_taken_by(struct own_mutex *mutex, int32_t tid)
{
	own_mutex_note(mutex, tid, ++own_self.taken);
}

/* The same by the caller. */
static inline void own_mutex_taken(struct own_mutex *mutex)
{
	int32_t tid = own_thread_id(); /* first: with it the thread begins to count */

	own_mutex_taken_by(mutex, tid);
}

/*
 * The memory at this address is no mutex that the caller may release without asking for its
 * kind, whatever it was before: another thread may have released that one.
 */
static inline void own_mutex_forget_held(const void *mutex)
{
	if (own_self.held == mutex)
		own_self.held = NULL;
}

/*
 * The owner, for the kinds that know it; also when it took the mutex before the fork that made this
 * process: the child's thread is a replica of the one that forked.
 */
static inline bool own_mutex_is_owner(struct own_mutex *mutex)
{
	int32_t owner = own_load_relaxed(&mutex->owner);

	if (owner == own_thread_id())
		return true;
	if (owner == 0 || !own_self.forked)
		return false;
	atomic_thread_fence(memory_order_acquire); /* (T-inherit) */
	if (owner != own_load_relaxed(&own_inherited_tid))
		return false;
	own_store_relaxed(&mutex->owner, own_thread_id());
	return true;
}

/* The recursive kind, by its owner: one more lock, or EAGAIN. */
static inline int own_mutex_lock_again(struct own_mutex *mutex)
{
	uint32_t count = own_load_relaxed(&mutex->count);

	if (count == UINT32_MAX)
		return EAGAIN;
	own_store_relaxed(&mutex->count, count + 1);
	return 0;
}

/* The recursive kind, by its owner: one lock less. True: that was the last. */
static inline bool own_mutex_unlock_last(struct own_mutex *mutex)
{
	uint32_t count = own_load_relaxed(&mutex->count) - 1;

	own_store_relaxed(&mutex->count, count);
	return count == 0;
}

/* Before the release: a spinner must not take the last owner's CPU for the next one's. */
static OWN_ALWAYS_INLINE void own_mutex_clear_owner(struct own_mutex *mutex)
{
	own_store_relaxed(&mutex->owner, 0);
	own_store_relaxed(&mutex->cpu, 0);
}

/* Releases the mutex if nobody has to be woken. False: own_mutex_unlock_slow has to. */
static OWN_ALWAYS_INLINE bool own_mutex_unlock_fast(struct own_mutex *mutex, bool single)
{
	uint32_t expected = OWN_LOCKED;

	if (single && own_load_relaxed(&mutex->word) == OWN_LOCKED) {
		own_store_relaxed(&mutex->word, 0);
		return true;
	}
	/* (M-unlock), pairs with (M-lock) */
	return own_cas_release(&mutex->word, &expected, 0);
}

/* As own_mutex_try_fast, also past waiters; clears bits in the same step. */
OWN_MUST_CHECK static inline bool own_mutex_try_take(struct own_mutex *mutex, uint32_t clear)
{
	uint32_t raw = own_load_relaxed(&mutex->word);

	for (;;) {
		uint32_t generation = own_generation_now();
		uint32_t flags = own_word_flags(raw, generation);

		if (flags & OWN_LOCKED)
			return false;
		flags = (flags | OWN_LOCKED) & ~clear;
		own_step("M-lock before");
		/* (M-lock), pairs with (M-unlock) */
		if (own_cas_acquire(&mutex->word, &raw, own_word_make(flags, generation)))
			return true;
	}
}

/*
 * Takes the mutex whatever it costs. `deadline` NULL: for ever. `site`: the caller's address for
 * the records. Returns 0 with the owner set, or ETIMEDOUT.
 */
OWN_MUST_CHECK int own_mutex_lock_slow(struct own_mutex *mutex, const struct own_deadline *deadline,
				       const void *site);

/* own_mutex_try_take for callers who may be in a fork child that no handler has seen. */
OWN_MUST_CHECK bool own_mutex_trylock(struct own_mutex *mutex);

/* The caller owns the mutex and has set the owner to 0. */
void own_mutex_unlock_slow(struct own_mutex *mutex);

/*
 * For the condition variable. Moves parkers, linked by next, to the mutex's queue. They
 * are popped from theirs and not yet notified. Wakes one if the mutex is free. `generation`: of the
 * process that popped them; does nothing in another.
 */
void own_mutex_requeue(struct own_mutex *mutex, struct own_parker *first, uint32_t generation);

/*
 * The thread ends in the middle of a wait, by asynchronous cancellation or by pthread_exit in a
 * signal handler, of which POSIX says nothing: takes its parker out of the mutex's queue, and
 * passes on what it was given. False: the parker stands in the queue of a condition variable, and
 * cannot be used again.
 */
OWN_MUST_CHECK bool own_mutex_abandon(struct own_parker *parker);

/* Ends a wait that was requeued: the parker has been notified. Returns with the mutex held. */
void own_mutex_lock_requeued(struct own_mutex *mutex, struct own_parker *parker, const void *site);

#endif
