/*
 * The condition variable.
 *
 * Guarantees
 *   A waiter that had queued before a signal began may take it; a signal is taken by one waiter and
 *   is never lost to one that times out or is cancelled. Waiters may also return for no reason.
 *   destroy and free right after broadcast are safe, and wait for nobody but a waiter in the middle
 *   of leaving by time-out or cancellation.
 *
 * States of the word (W WAITERS, Q QUEUE)
 *   x  -> xQ   enter, leave, signal and broadcast take the queue
 *   xQ -> W|0  they let go; W as the queue is
 *
 * States of a waiter's claim, which decide who ends its wait
 *   NONE    -> COND     the waiter, under Q: linked
 *   COND    -> POPPED   signal, broadcast (CAS, under Q); unlinked at once
 *   COND    -> LEAVING  the waiter itself, on time-out or cancellation (CAS, without Q); still
 *                       linked until it has taken Q; signal and broadcast pass over it
 *   POPPED  -> MUTEX    broadcast: requeued to the mutex, by its rules from here on
 *   POPPED  -> NONE     the waiter, notified
 *   LEAVING -> NONE     the waiter, under Q: unlinked
 *   each but NONE -> POPPED   a handler of the waiter forked: in the child the wait is over
 *
 * Invariants
 *   C1 The queue is changed by the holder of Q alone.
 *   C2 While Q is clear, W says whether the queue is empty.
 *   C3 A popped waiter touches the variable no more, and is notified only after its popper's last
 *      access, which lets go of Q. So the variable may be gone by the time that it returns.
 *   C4 A waiter in state LEAVING is linked, and touches the variable to unlink itself: it keeps W
 *      set, and destroy waits for W and Q to clear.
 *
 * Why LEAVING is not simply "take Q and look": a popped waiter may not touch the variable (C3), and
 * it cannot know under Q, which is part of the variable, whether it has been popped.
 *
 *      waiter, timed out               broadcaster, then destroyer
 *      take Q ...                      take Q, pop all, let go
 *                                      destroy, free
 *      ... of freed memory
 *
 * With the claim the waiter's CAS fails there, and it waits for the notification instead.
 *
 * Memory ordering
 *   (C-queue)  acquire, when Q is set: pairs with (C-leave), the release that cleared it.
 *   (C-claim)  no order needed between the claim's two writers: it carries nothing but itself. The
 *              waiter learns of a pop by (P-seen).
 *   signal's look at W is relaxed: a waiter that must be seen released the mutex after it had
 *   queued, and the signaller has acquired that mutex since (else either order is right).
 */
#include "core/cond.h"

#include <errno.h>

#include "config/options.h"
#include "core/mutex.h"
#include "core/spin.h"
#include "core/thread_life.h"
#include "core/turns.h"
#include "sys/delay.h"

static void take_queue(struct own_cond *cond)
{
	uint32_t raw = own_load_relaxed(&cond->word);
	unsigned round = 0;

	for (;;) {
		uint32_t generation = own_generation_now();
		uint32_t flags = own_word_flags(raw, generation);

		if (flags & OWN_QUEUE) {
			own_spin_for_queue(round++);
			raw = own_load_relaxed(&cond->word);
			continue;
		}
		own_step("C-queue before");
		/* (C-queue) */
		if (own_cas_acquire(&cond->word, &raw,
				    own_word_make(flags | OWN_QUEUE, generation))) {
			if (!(flags & OWN_WAITERS))
				own_queue_reset(&cond->queue);
			return;
		}
	}
}

/*
 * True if the caller took the queue before a fork and is in the child now: it was interrupted by a
 * signal handler that forked.
 */
static bool queue_is_foreign(struct own_cond *cond, uint32_t generation)
{
	uint32_t flags = own_word_flags(own_load_relaxed(&cond->word), generation);

	return own_unlikely(!(flags & OWN_QUEUE));
}

static void leave_queue(struct own_cond *cond)
{
	uint32_t generation = own_generation_now();
	uint32_t flags;

	if (queue_is_foreign(cond, generation))
		own_queue_reset(&cond->queue);
	flags = own_queue_is_empty(&cond->queue) ? 0 : OWN_WAITERS;
	own_step("C-leave before");
	own_store_release(&cond->word, own_word_make(flags, generation)); /* (C-leave) */
}

static bool claim(struct own_parker *parker, enum own_parker_claim to)
{
	uint32_t expected = OWN_CLAIM_COND;

	return own_cas_acq_rel(&parker->claim, &expected, to); /* (C-claim) */
}

static void enter(struct own_cond *cond, struct own_parker *parker, struct own_mutex *requeue)
{
	parker->mutex = requeue;
	parker->priority = own_self.priority;
	take_queue(cond);
	/* Under Q: a fork before it finds no wait to end, one behind it finds the queue foreign. */
	own_store_relaxed(&parker->claim, OWN_CLAIM_COND);
	own_queue_push(&cond->queue, parker);
	if (queue_is_foreign(cond, own_generation_now()))
		own_store_relaxed(&parker->word, OWN_PARKER_NOTIFIED);
	leave_queue(cond);
}

/* The waiter gives up. False: it has been popped; the notification is on its way. */
static bool withdraw(struct own_cond *cond, struct own_parker *parker)
{
	own_step("C-claim before");
	if (!claim(parker, OWN_CLAIM_LEAVING))
		return false;
	own_step("C-claim leaving");
	take_queue(cond);
	/* A fork may have ended the wait meanwhile: then the links are of the parent's queue. */
	if (own_likely(own_load_relaxed(&parker->claim) == OWN_CLAIM_LEAVING))
		own_queue_remove(&cond->queue, parker);
	own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
	leave_queue(cond);
	return true;
}

/* Waits until popped and notified, or until the waiter has left the queue. */
static int wait_in_queue(struct own_cond *cond, struct own_parker *parker, struct own_park *park,
			 bool *popped)
{
	*popped = true;
	for (;;) {
		enum own_park_result result = own_parker_wait(parker, park);

		if (result == OWN_PARK_NOTIFIED)
			return 0;
		if (result == OWN_PARK_TIMEOUT && !own_deadline_passed(park->deadline))
			continue;
		if (withdraw(cond, parker)) {
			*popped = false;
			return result == OWN_PARK_TIMEOUT ? ETIMEDOUT : 0;
		}
		/* Signalled at the same moment: the signal wins, a cancellation stays pending. */
		park->deadline = NULL;
	}
}

/* No parker, no queue: the wait ends as a spurious one after a short sleep. */
static int wait_without_parker(const struct own_relock *relock, const struct own_deadline *deadline,
			       const void *site)
{
	int result = relock->unlock(relock->object);

	if (result != 0)
		return result;
	own_count(fallback_sleeps, 1);
	own_sleep_ns(50000);
	result = relock->lock(relock->object, site);
	if (result == 0 && deadline && own_deadline_passed(deadline))
		result = ETIMEDOUT;
	if (relock->test_cancel)
		relock->test_cancel();
	return result;
}

/* `popped`: a waker ended the wait, not its deadline or a cancellation. */
static void record_wait(struct own_lock_record *record, const struct own_park *park, bool popped,
			uint64_t ns)
{
	bool spun = popped && !park->parked;

	own_count(cond_waits, 1);
	if (spun)
		own_count(cond_spun, 1);
	if (!record)
		return;
	own_fetch_add_relaxed(&record->queued, 1);
	own_fetch_add_relaxed(&record->time_ns, ns);
	if (spun)
		own_fetch_add_relaxed(&record->spun, 1);
	if (own_load_relaxed(&record->longest_ns) < ns)
		own_store_relaxed(&record->longest_ns, ns);
}

/* True if broadcast moved the waiter to the mutex, and it comes from there. */
static bool was_requeued(const struct own_parker *parker)
{
	return parker->granted || parker->designated;
}

static void end_wait(struct own_parker *parker)
{
	own_store_relaxed(&parker->cancellable, 0);
	own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
	own_parker_release(parker);
}

/* Locks the mutex again, by the requeued parker or from anew, and gives the parker back. */
static int lock_again(const struct own_relock *relock, struct own_parker *parker, const void *site)
{
	if (!was_requeued(parker)) {
		int result;

		end_wait(parker); /* first: the lock may need it */
		own_self.after_wait = true;
		result = relock->lock(relock->object, site);
		own_self.after_wait = false;
		return result;
	}
	own_store_relaxed(&parker->cancellable, 0);
	own_mutex_lock_requeued(relock->requeue, parker, site);
	relock->locked(relock->object);
	end_wait(parker);
	return 0;
}

/*
 * The mutex could not be unlocked: the caller does not hold it, and there is no wait. What a waker
 * has given meanwhile is passed on.
 */
static void call_off(struct own_cond *cond, const struct own_relock *relock,
		     struct own_parker *parker, const void *site)
{
	struct own_park park = {.deadline = NULL};

	if (!withdraw(cond, parker)) {
		while (own_parker_wait(parker, &park) != OWN_PARK_NOTIFIED)
			;
		if (was_requeued(parker)) {
			own_mutex_lock_requeued(relock->requeue, parker, site);
			own_mutex_clear_owner(relock->requeue);
			own_mutex_unlock_slow(relock->requeue);
		}
		own_cond_signal(cond);
	}
	end_wait(parker);
}

/*
 * A parker for the wait, open to cancellation from here on. It is made ready before it is
 * published: a poke that finds it must stick.
 */
static struct own_parker *begin_wait(const struct own_relock *relock)
{
	struct own_parker *parker;

	/* Without a parker first where nobody would give it back after an unwinding. */
	if (own_unlikely(own_self.exiting) && relock->test_cancel)
		relock->test_cancel();
	parker = own_parker_acquire();

	if (own_unlikely(!parker))
		return NULL;
	own_parker_prepare(parker);
	if (relock->test_cancel) {
		/* (C-poke): release, so that who sees it sees the word made ready */
		own_store_release(&parker->cancellable, own_thread_handle());
		atomic_thread_fence(memory_order_seq_cst);
		relock->test_cancel();
	}
	return parker;
}

int own_cond_wait(struct own_cond *cond, const struct own_relock *relock,
		  const struct own_deadline *deadline, const void *site)
{
	struct own_park park = {.deadline = deadline};
	struct own_parker *parker;
	bool popped;
	bool rests;
	uint64_t start;
	int result;
	int relocked;

	own_fork_check();
	parker = begin_wait(relock);
	if (own_unlikely(!parker))
		return wait_without_parker(relock, deadline, site);
	start = own_ticks();
	own_spin_plan_cond(&park, &cond->spin);
	park.record = own_record_find(cond, site, OWN_OBJECT_COND);
	rests = relock->requeue && own_turns_begin(cond, relock->requeue, start) &&
		park.spin_ticks > 0 && !deadline;
	enter(cond, parker, relock->requeue);
	own_step("queued, before unlock");
	result = relock->unlock(relock->object);
	if (own_unlikely(result != 0)) {
		call_off(cond, relock, parker, site);
		return result;
	}
	if (own_unlikely(rests))
		own_turns_rest(parker);
	result = wait_in_queue(cond, parker, &park, &popped);
	/* Nothing of the condition variable from here on. */
	record_wait(park.record, &park, popped, own_ns_since(start));
	relocked = lock_again(relock, parker, site);
	if (relock->requeue && relocked == 0)
		own_turns_end(cond, relock->requeue);
	if (!popped && result == 0 && relock->test_cancel)
		relock->test_cancel();
	return relocked ? relocked : result;
}

void own_cond_signal(struct own_cond *cond)
{
	struct own_parker *parker;

	if (!(own_load_relaxed(&cond->word) & (OWN_WAITERS | OWN_QUEUE)))
		return;
	own_fork_check();
	take_queue(cond);
	parker = cond->queue.head;
	while (parker && !claim(parker, OWN_CLAIM_POPPED))
		parker = parker->next;
	if (parker) {
		own_queue_remove(&cond->queue, parker);
		own_parker_teach(parker, &cond->spin);
	}
	leave_queue(cond);
	own_step("popped, before notify");
	if (parker)
		own_parker_notify(parker);
}

/* A broadcast to so many waiters asks one in SAMPLE how spinning went, not the first alone. */
#define CROWD  128
#define SAMPLE 8

/*
 * What a broadcast tells about spinning here. The first waiter has waited longest, and has parked
 * if anyone has: of a crowd it tells nothing.
 */
static void teach(struct own_cond *cond, const struct own_parker *first, long count)
{
	unsigned succeeded = 0;
	unsigned failed = 0;

	if (count < CROWD) {
		own_parker_teach(first, &cond->spin);
		return;
	}
	for (long i = 0; i < count; i++, first = first->next) {
		if (i % SAMPLE == 0)
			own_parker_count_spin(first, &succeeded, &failed);
	}
	own_spin_learn_many(&cond->spin, succeeded, failed);
}

/* Takes all waiters out that are not leaving; returns them linked by next, and counts them. */
static struct own_parker *pop_all(struct own_cond *cond, long *count)
{
	struct own_parker *first = NULL;
	struct own_parker **link = &first;
	struct own_parker *parker = cond->queue.head;

	while (parker) {
		struct own_parker *next = parker->next;

		if (claim(parker, OWN_CLAIM_POPPED)) {
			own_queue_remove(&cond->queue, parker);
			*link = parker;
			link = &parker->next;
			++*count;
		}
		parker = next;
	}
	*link = NULL;
	return first;
}

/* Splits off the waiters behind `first` that go to the same mutex, and requeues all of them. */
static struct own_parker *requeue_run(struct own_parker *first, uint32_t generation)
{
	struct own_mutex *mutex = first->mutex;
	struct own_parker *last = first;
	struct own_parker *rest;

	while (last->next && last->next->mutex == mutex)
		last = last->next;
	rest = last->next;
	last->next = NULL;
	own_mutex_requeue(mutex, first, generation);
	return rest;
}

void own_cond_broadcast(struct own_cond *cond)
{
	struct own_parker *parker;
	uint32_t generation;
	long count = 0;
	long wakes;

	if (!(own_load_relaxed(&cond->word) & (OWN_WAITERS | OWN_QUEUE)))
		return;
	own_fork_check();
	generation = own_generation_now();
	take_queue(cond);
	parker = pop_all(cond, &count);
	if (parker)
		teach(cond, parker, count);
	leave_queue(cond);
	wakes = own_spin_broadcast_wakes(count);
	/* A handler that forks here leaves the child with parkers of threads it has not. */
	while (parker && generation == own_generation_now()) {
		struct own_parker *next = parker->next;

		own_step("broadcast");
		if (wakes > 0 || !parker->mutex) {
			own_parker_notify(parker);
			wakes--;
			parker = next;
		} else {
			parker = requeue_run(parker, generation);
		}
	}
}

void own_cond_destroy(struct own_cond *cond)
{
	unsigned round = 0;

	own_fork_check();
	while (own_word_flags(own_load_acquire(&cond->word), own_generation_now()) &
	       (OWN_WAITERS | OWN_QUEUE))
		own_spin_for_queue(round++);
}
