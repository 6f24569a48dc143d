/*
 * The mutex: lock. Unlock is mutex_unlock.c, the steps on the queue are mutex_queue.c.
 *
 * Guarantees
 *   Mutual exclusion. No lost wakeup. A waiter is bypassed for a bounded time: past the age of
 *   option handoff_us the mutex is handed to the waiter that stands first once that one is awake,
 *   and past 16 times the age even while it sleeps. Real-time waiters stand before all others. A
 *   waiter that gives up (time-out) takes no wake with it that another needed.
 *
 * States of the lock word (L LOCKED, W WAITERS, Q QUEUE, D DESIGNATED; in brackets: set or
 * not, and left so) and who may change them
 *   0         -> L           lock, uncontended
 *   L         -> 0           unlock, nobody is queued
 *   [W][Q][D] -> L[W][Q][D]  lock past waiters; a designated waiter clears D in the same step
 *   L[W]Q[D]  -> [W]Q[D]     unlock, the holder of Q will see to the waiters (I3)
 *   LW[D]     -> WQD         unlock that wakes, whether or not somebody is designated already:
 *                            release and take the queue at once, pop, then
 *   WQD       -> WD or 0       let go of the queue (W if more wait), then notify
 *   LW[D]     -> LWQ[D]      unlock, handoff_us after `handed`: keep the lock, take the queue,
 *                            look at the first waiter's age, then
 *   LWQ[D]    -> L or LW[D]    it is old and awake, or very old: pop it, let go, notify with
 *                              `granted`: it owns the mutex
 *             -> WD or 0       it is old and sleeps: pop it as designated, release, let go, notify
 *             -> WD or 0       it is younger than thought: pop one as any other unlock does,
 *                              release, let go, notify
 *   x         -> xQ          a waiter that enters or leaves, and requeueing, take the queue
 *   xQ        -> x           they let go; W as the queue is; D cleared by one that was designated,
 *                            or enters with a real-time priority; then I3; no D without W
 *
 *      word            queue (head: highest real-time priority, of these longest waiting)
 *      +--------+      +--------+    +--------+    +--------+
 *      | LWQD   |  +-->| parker |--->| parker |--->| parker |<-- tail
 *      +--------+  |   +--------+    +--------+    +--------+
 *      head -------+    one word each, on which only its own thread waits
 *
 * Invariants
 *   I1 The queue is changed by the holder of Q alone.
 *   I2 While Q is clear, W says whether the queue is empty, and D is clear if it is.
 *   I3 Nobody lets go of Q in the state !L, W, !D: it pops a waiter, sets D and notifies. So an
 *      unlocker never waits for Q: whoever holds it does what the unlocker came for.
 *   I4 D is set only for a thread that will look at the word again: a popped waiter, never one that
 *      spins before it has queued. There may be several, for each unlock pops one; the first that
 *      takes the mutex, queues, or gives up clears D, and so does a real-time waiter that queues.
 *      So D may be cleared too early, which costs a wake too many: it is when the queue becomes
 *      empty, since until somebody queues again nobody asks for it, and meanwhile locks and unlocks
 *      are fast. It is never set without such a thread.
 *   I5 A waiter is notified after it has been popped, at most once per time that it queued, and
 *      after the notifier's last access to the mutex.
 *   No wakeup is lost: !L and W imply Q or D (by I3 and the unlock transitions), Q's holder is
 *   running and D's waiter has been notified, and both look at the word again.
 *
 * Memory ordering
 *   (M-lock)   acquire, when L is set: pairs with (M-unlock), the release that cleared it, or with
 *              (P-notify) when the mutex was granted.
 *   (M-queue)  acquire, when Q is set: pairs with (M-leave), the release that cleared it. Orders
 *              the queue's links between its holders.
 *
 * Destruction
 *   The step that clears L is the last access to the mutex, except where the same step took Q: then
 *   a waiter in the queue, which nobody else can pop and which has not been notified, is still
 *   inside lock and keeps the mutex alive until Q is let go, the last access.
 *
 * Limits
 *   A signal handler that interrupts a slow path, forks, and returns in the child: the wait or call
 *   that it interrupted is ended there. Each step writes the generation that it has read (fork.h),
 *   so that what it leaves is foreign to the child. A thread that the handler itself starts in the
 *   child may not use this mutex before it has returned.
 *   The mutex may be handed to a waiter while a signal handler runs in its thread, which owns it
 *   from then on: a handler that waits for another mutex does so as one that interrupted the owner.
 *   Without memory for a parker a locker yields and sleeps instead of queueing, and has no age.
 */
#include "core/mutex.h"

#include <errno.h>

#include "base/panic.h"
#include "core/mutex_queue.h"
#include "core/spin.h"
#include "core/thread_life.h"
#include "sys/cpu.h"
#include "sys/delay.h"

/* Everything about one wait for the mutex, from queueing until it is over. */
struct attempt {
	struct own_mutex *mutex;
	struct own_parker *parker;
	const struct own_deadline *deadline;
	struct own_lock_record *record;
	bool far_back; /* queued behind a waiter that had slept for long */
	bool parked;   /* it has gone to the kernel, here or on its condition variable */
};

/*
 * The first waiter has slept for so long: the mutex has hardly been unlocked since, for an unlock
 * wakes one of the first, and the caller's turn is not near. With the queue held.
 */
static bool first_sleeps_long(struct own_mutex *mutex, const struct own_parker *parker)
{
	const struct own_parker *first = mutex->queue.head;

	return first && own_load_relaxed(&first->word) == OWN_PARKER_PARKED &&
	       own_mutex_waited_long(first, parker->since);
}

/*
 * Enters the queue: at the tail, or by age when the caller was designated and lost the race.
 * Returns true if the mutex came free first and has been taken instead.
 */
static bool enter_or_take(struct attempt *attempt, bool designated)
{
	struct own_mutex *mutex = attempt->mutex;
	struct own_parker *parker = attempt->parker;
	uint32_t clear = 0;
	uint32_t raw = own_load_relaxed(&mutex->word);
	unsigned round = 0;

	for (;;) {
		uint32_t generation = own_generation_now();
		uint32_t flags = own_word_flags(raw, generation);

		if (!(flags & OWN_LOCKED)) {
			flags |= OWN_LOCKED;
			if (designated)
				flags &= ~OWN_DESIGNATED;
			/* (M-lock) */
			if (own_cas_acquire(&mutex->word, &raw, own_word_make(flags, generation)))
				return true;
		} else if (flags & OWN_QUEUE) {
			own_spin_for_queue(round++);
			raw = own_load_relaxed(&mutex->word);
		} else if (own_mutex_take_queue(mutex, &raw, generation, 0, 0)) {
			break;
		}
	}
	own_parker_prepare(parker);
	parker->mutex = mutex;
	parker->cpu = own_cpu_mark();
	parker->priority = own_self.priority;
	attempt->far_back = first_sleeps_long(mutex, parker);
	own_store_relaxed(&parker->claim, OWN_CLAIM_MUTEX);
	if (designated)
		own_queue_push_by_age(&mutex->queue, parker);
	else
		own_queue_push(&mutex->queue, parker);
	if (own_mutex_queue_is_foreign(mutex))
		own_store_relaxed(&parker->word, OWN_PARKER_NOTIFIED);
	/* Whoever is designated may wait for this one's CPU: if the mutex came free meanwhile, a
	 * real-time waiter is woken whatever is on its way. */
	if (designated || parker->priority > 0)
		clear = OWN_DESIGNATED;
	own_parker_notify_if_any(own_mutex_leave_queue(mutex, 0, clear));
	return false;
}

/* A waiter gives up. False: it has been popped meanwhile, and a notification is on its way. */
static bool withdraw(struct own_mutex *mutex, struct own_parker *parker)
{
	bool queued;

	own_step("withdraw");
	(void)own_mutex_wait_for_queue(mutex);
	queued = own_load_relaxed(&parker->claim) == OWN_CLAIM_MUTEX;
	if (queued) {
		own_queue_remove(&mutex->queue, parker);
		own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
	}
	own_parker_notify_if_any(own_mutex_leave_queue(mutex, 0, 0));
	return queued;
}

/* The designated waiter gives up: the next one is designated, if somebody has to be. */
static void pass_designation(struct own_mutex *mutex)
{
	(void)own_mutex_wait_for_queue(mutex);
	own_parker_notify_if_any(own_mutex_leave_queue(mutex, 0, OWN_DESIGNATED));
}

/*
 * Whoever is popped already is notified soon; if by a condition's signal, that was for this thread
 * and is over with it.
 */
bool own_mutex_abandon(struct own_parker *parker)
{
	struct own_mutex *mutex = parker->mutex;
	uint32_t claim = own_load_relaxed(&parker->claim);
	struct own_park park = {.deadline = NULL};

	if (claim == OWN_CLAIM_NONE)
		return true;
	if (claim == OWN_CLAIM_COND || claim == OWN_CLAIM_LEAVING)
		return false;
	if (claim == OWN_CLAIM_MUTEX && withdraw(mutex, parker))
		return true;
	while (own_parker_wait(parker, &park) != OWN_PARK_NOTIFIED)
		;
	own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
	if (parker->granted) {
		own_mutex_clear_owner(mutex);
		own_mutex_unlock_slow(mutex);
	} else if (parker->designated) {
		pass_designation(mutex);
	}
	return true;
}

bool own_mutex_trylock(struct own_mutex *mutex)
{
	if (own_load_relaxed(&mutex->word) & OWN_LOCKED)
		return false;
	own_fork_check();
	return own_mutex_try_take(mutex, 0);
}

/* No parker, no queue: yield, then sleep ever longer, up to a millisecond. */
static int lock_without_parker(struct own_mutex *mutex, const struct own_deadline *deadline)
{
	uint64_t sleep_ns = 1000;

	for (unsigned round = 0; !own_mutex_trylock(mutex); round++) {
		if (deadline && own_deadline_passed(deadline))
			return ETIMEDOUT;
		if (round < 16) {
			own_yield();
		} else {
			own_count(fallback_sleeps, 1);
			own_sleep_ns(sleep_ns);
			if (sleep_ns < 1000000)
				sleep_ns *= 2;
		}
	}
	return 0;
}

static void find_record(struct attempt *attempt, const void *site)
{
	attempt->record = own_record_find(attempt->mutex, site, OWN_OBJECT_MUTEX);
	if (attempt->record)
		own_fetch_add_relaxed(&attempt->record->queued, 1);
}

static void count_wait(struct attempt *attempt)
{
	/* A requeued waiter's `since` comes from another CPU, and may lie a little ahead. */
	uint64_t ns = own_ns_since(attempt->parker->since);
	struct own_counters *counters = own_thread_counters();

	own_counters_raise(counters, &counters->longest_wait_ns, ns);
	if (attempt->record) {
		own_fetch_add_relaxed(&attempt->record->time_ns, ns);
		if (own_load_relaxed(&attempt->record->longest_ns) < ns)
			own_store_relaxed(&attempt->record->longest_ns, ns);
		/* Not for each turn in the queue: who is overtaken takes several. */
		if (!attempt->parked)
			own_fetch_add_relaxed(&attempt->record->spun, 1);
	}
}

/* Whoever gets that far has spun before in vain. */
static void learn_in_queue(struct own_mutex *mutex, bool failed)
{
	own_spin_learn_mutex(mutex, OWN_SPIN_FIRST, failed);
	own_spin_learn_mutex(mutex, OWN_SPIN_QUEUED, failed);
}

/*
 * Waits in the queue until the parker has been popped and notified. Returns 0, or ETIMEDOUT when
 * the waiter left the queue itself. *late: the deadline passed, but a waker was faster.
 */
static int wait_in_queue(struct attempt *attempt, bool *late)
{
	struct own_park park = {.deadline = attempt->deadline, .record = attempt->record};

	if (attempt->far_back)
		own_spin_held_long(attempt->mutex); /* newcomers need not try */
	else
		own_spin_plan_mutex(&park, attempt->mutex);
	while (own_parker_wait(attempt->parker, &park) != OWN_PARK_NOTIFIED) {
		attempt->parked |= park.parked;
		if (!park.deadline || !own_deadline_passed(park.deadline))
			continue;
		if (withdraw(attempt->mutex, attempt->parker))
			return ETIMEDOUT;
		*late = true;
		park.deadline = NULL;
	}
	attempt->parked |= park.parked;
	if (!park.parked || park.spun == OWN_SPUN_ALONE)
		learn_in_queue(attempt->mutex, park.parked);
	own_store_relaxed(&attempt->parker->claim, OWN_CLAIM_NONE);
	return 0;
}

/* The mutex could not be had by spinning, or the waiter comes from a condition variable. */
static int lock_queued(struct attempt *attempt, bool designated)
{
	struct own_mutex *mutex = attempt->mutex;
	struct own_parker *parker = attempt->parker;
	bool late = false;

	for (;;) {
		if (enter_or_take(attempt, designated))
			return 0;
		if (wait_in_queue(attempt, &late) != 0)
			return ETIMEDOUT;
		if (parker->granted)
			return 0;
		designated = true;
		own_step("designated arrives");
		if (own_spin_lock(mutex, true))
			return 0;
		if (late) {
			pass_designation(mutex);
			return ETIMEDOUT;
		}
	}
}

static int lock_by_queueing(struct own_mutex *mutex, const struct own_deadline *deadline,
			    const void *site)
{
	struct attempt attempt = {.mutex = mutex, .deadline = deadline};
	int result;

	attempt.parker = own_parker_acquire();
	if (own_unlikely(!attempt.parker))
		return lock_without_parker(mutex, deadline);
	own_count(queued, 1);
	attempt.parker->since = own_ticks();
	find_record(&attempt, site);
	result = lock_queued(&attempt, false);
	count_wait(&attempt);
	own_parker_release(attempt.parker);
	return result;
}

int own_mutex_lock_slow(struct own_mutex *mutex, const struct own_deadline *deadline,
			const void *site)
{
	int result = 0;

	own_fork_check();
	own_self.waited = 0; /* a wait behind it comes after work (turns.h) */
	own_count(contended, 1);
	if (own_spin_lock(mutex, false))
		own_count(spin_acquired, 1);
	else
		result = lock_by_queueing(mutex, deadline, site);
	if (result == 0)
		own_mutex_note(mutex, own_thread_id(), own_spin_count(mutex));
	return result;
}

void own_mutex_requeue(struct own_mutex *mutex, struct own_parker *first, uint32_t generation)
{
	uint64_t now = own_ticks();
	uint64_t count = 0;

	if (own_mutex_wait_for_queue(mutex) != generation)
		first = NULL; /* a handler forked: they are not threads of this process */
	while (first) {
		struct own_parker *next = first->next;

		first->since = now;
		own_store_relaxed(&first->claim, OWN_CLAIM_MUTEX);
		own_queue_push(&mutex->queue, first);
		count++;
		first = next;
	}
	own_parker_notify_if_any(own_mutex_leave_queue(mutex, 0, 0));
	own_count(requeues, count);
}

void own_mutex_lock_requeued(struct own_mutex *mutex, struct own_parker *parker, const void *site)
{
	struct attempt attempt = {.mutex = mutex, .parker = parker, .parked = true};

	own_store_relaxed(&parker->claim, OWN_CLAIM_NONE);
	find_record(&attempt, site);
	if (!parker->granted && !own_spin_lock(mutex, true) && lock_queued(&attempt, true) != 0)
		own_panic("a lock without a deadline timed out", mutex);
	count_wait(&attempt);
	own_mutex_note(mutex, own_thread_id(), own_spin_count(mutex));
}
