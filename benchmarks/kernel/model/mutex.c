/*
 * One contended mutex: glibc's, whose waiters all wait on the lock word, and ownline's, whose
 * waiters look at it a few times, then stand in a queue, each with a word of its own that it looks
 * at before it waits.
 */
#include "kernel/model/sim.h"

enum { LOCK_FIRST, LOCK_AGAIN, LOCK_SEEN, UNLOCKED, LOOKED, ENQUEUED, QUEUED, NOTIFIED_OTHER };
enum { WORD_FREE, WORD_LOCKED, WORD_WAITERS }; /* glibc's lock word; ownline's: the first two */
enum { WORD_SPINNING, WORD_PARKED, WORD_NOTIFIED }; /* ownline's own word */

/* ownline's constants, of runtime/core/spin.c and mutex_unlock.c. Left out: spinning that is given
 * up because it often failed, and the last look before parking. */
#define EARLY_LOOK_NS	50
#define MOST_PAUSE_NS	200
#define PATIENT_LOOK_NS 1000
#define EARLY_LOOKS	8
#define BRIEF_MANY	(1 / 3.0)
#define LEARN_STEP	8
#define WAIT_YIELDS	12
#define HANDOFF_NS	1e6
#define HANDOFF_ASLEEP	16

static void mutex_setup(struct run *run)
{
	for (unsigned i = 0; i < run->thread_count; i++) {
		struct thread *thread = &run->threads[i];

		thread->word = &run->user_word;
		thread->word_line = &run->user_line;
		if (run->design->user == USER_OWNLINE) {
			thread->word = &thread->own_word;
			thread->word_line = &thread->own_line;
		}
	}
}

static void become_owner(struct run *run, struct thread *thread)
{
	if (run->user_owner)
		run->fault = "the mutex had two owners";
	run->user_owner = thread;
	thread->flag = true;
}

static void glibc_try(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (run->user_word == WORD_FREE) {
		run->user_word = WORD_LOCKED;
		become_owner(run, thread);
	}
}

static void glibc_try_again(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (run->user_word == WORD_FREE)
		become_owner(run, thread);
	run->user_word = WORD_WAITERS;
}

static void glibc_unlock(struct run *run, struct thread *thread)
{
	thread->flag = run->user_word == WORD_WAITERS;
	run->user_word = WORD_FREE;
	run->user_owner = NULL;
}

static void section(struct run *run, struct thread *thread,
		    void (*unlock)(struct run *run, struct thread *thread))
{
	sim_compute(thread, run->p.section_ns);
	sim_line(thread, STEP_CHANGE, &run->user_line);
	sim_call(thread, unlock);
	thread->state = UNLOCKED;
}

/* Outside the mutex a thread does not always take as long: half to one and a half times. */
static void outside(struct run *run, struct thread *thread)
{
	sim_compute(thread, run->p.outside_ns * (0.5 + sim_random(thread)));
	sim_count_operation(run, thread);
	thread->state = LOCK_FIRST;
}

static void glibc_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case LOCK_FIRST:
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, glibc_try);
		thread->state = LOCK_SEEN;
		return;
	case LOCK_AGAIN:
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, glibc_try_again);
		thread->state = LOCK_SEEN;
		thread->position = 1;
		return;
	case LOCK_SEEN:
		if (thread->flag) {
			thread->position = 0;
			section(run, thread, glibc_unlock);
			return;
		}
		thread->state = LOCK_AGAIN;
		if (!thread->position)
			return;
		thread->expected = WORD_WAITERS;
		futex_wait_steps(run, thread, 0, true);
		return;
	default:
		if (thread->flag) {
			thread->wake_word = &run->user_word;
			futex_wake_steps(run, thread, 0);
		}
		outside(run, thread);
	}
}

/*
 * How long to stay away from the word before the next look. Where sections are brief, one long
 * pause; which it is tells one first look in eight, which is always early: `brief` is the share of
 * these that found the mutex free. Half of the pause and up to as much again, at random.
 */
static double own_pause(struct run *run, struct thread *thread)
{
	double pause = EARLY_LOOK_NS * (1 << thread->count);

	if (pause > MOST_PAUSE_NS)
		pause = MOST_PAUSE_NS;
	thread->learns = thread->count == 0 && sim_random(thread) * EARLY_LOOKS < 1;
	if (thread->count == 0 && !thread->learns && run->brief > BRIEF_MANY)
		pause = PATIENT_LOOK_NS;
	return pause * (0.5 + 0.5 * sim_random(thread));
}

/* The look itself takes only the line; the mutex is taken by a change of it. */
static void own_look(struct run *run, struct thread *thread)
{
	thread->flag = run->user_word == WORD_FREE;
	if (thread->learns)
		run->brief += (thread->flag - run->brief) / LEARN_STEP;
	thread->learns = false;
}

/* A look after a pause, and once these have taken their time, after a yield. */
static void own_look_steps(struct run *run, struct thread *thread)
{
	if (thread->looked_ns < run->p.look_ns) {
		double pause = own_pause(run, thread);

		thread->looked_ns += pause;
		sim_compute(thread, pause);
	} else {
		thread->yields++;
		sim_add(thread, STEP_YIELD);
	}
	thread->count++;
	sim_line(thread, STEP_READ, &run->user_line);
	sim_call(thread, own_look);
	thread->state = LOOKED;
}

/* In the order of age: who was overtaken after it had been woken stands where it stood. */
static void own_enqueue(struct run *run, struct thread *thread)
{
	struct thread **link = &run->user_queue;

	if (thread->queued_since == 0)
		thread->queued_since = run->now;
	while (*link && (*link)->queued_since <= thread->queued_since)
		link = &(*link)->own_next;
	thread->own_next = *link;
	*link = thread;
	thread->own_word = WORD_SPINNING;
}

/* Whoever has been woken is on its way until it has the mutex or stands in the queue again. */
static void own_arrives(struct run *run, struct thread *thread)
{
	if (thread->designated)
		run->designated = thread->designated = false;
}

static void own_try_or_enqueue(struct run *run, struct thread *thread)
{
	own_arrives(run, thread);
	glibc_try(run, thread);
	if (!thread->flag)
		own_enqueue(run, thread);
}

/*
 * Looks at its own word until it is notified; who notifies sooner brings the event forward. Not
 * while others want the CPU.
 */
static void own_spin(struct run *run, struct thread *thread)
{
	thread->position =
	    thread->own_word != WORD_NOTIFIED && !run->cpus[thread->waiter.cpu].first;
	if (thread->position)
		sim_schedule(run, thread, run->now + run->p.spin_ns);
}

static void own_park(struct run *run, struct thread *thread)
{
	(void)run;
	thread->position = 0;
	if (thread->own_word == WORD_SPINNING)
		thread->own_word = WORD_PARKED;
}

/* Now and then a waiter that was overtaken for long gets the mutex, if it is awake. */
static bool own_hands_over(const struct run *run, const struct thread *waiter)
{
	const double age = run->now - waiter->queued_since;

	return run->now - run->handed > HANDOFF_NS && age > HANDOFF_NS &&
	       (waiter->own_word == WORD_SPINNING || age > HANDOFF_ASLEEP * HANDOFF_NS);
}

/*
 * Each unlock wakes a waiter while there is one, whoever is on its way already; with `one-wake`,
 * as it once was, nobody else meanwhile.
 */
static void own_unlock(struct run *run, struct thread *thread)
{
	struct thread *waiter = run->user_queue;

	run->user_word = WORD_FREE;
	run->user_owner = NULL;
	thread->other = NULL;
	if (!waiter || (run->designated && run->p.one_wake > 0))
		return;
	thread->other = waiter;
	run->user_queue = waiter->own_next;
	run->designated = waiter->designated = true;
	if (!own_hands_over(run, waiter))
		return;
	run->handed = run->now;
	run->user_word = WORD_LOCKED;
	run->user_owner = waiter;
	waiter->granted = true;
}

static void own_notify(struct run *run, struct thread *thread)
{
	struct thread *waiter = thread->other;

	thread->flag = waiter->own_word == WORD_PARKED;
	waiter->own_word = WORD_NOTIFIED;
	if (waiter->position) {
		waiter->position = 0;
		sim_schedule(run, waiter,
			     line_read(&run->net, &waiter->own_line, waiter->waiter.cpu, run->now));
	}
}

static void own_begin(struct thread *thread)
{
	thread->looked_ns = 0;
	thread->yields = 0;
	thread->count = 0;
}

static void own_owns(struct run *run, struct thread *thread)
{
	thread->queued_since = 0;
	thread->granted = false;
	own_arrives(run, thread);
	section(run, thread, own_unlock);
}

static void own_queued(struct run *run, struct thread *thread)
{
	if (thread->own_word == WORD_NOTIFIED && thread->granted) {
		own_owns(run, thread);
	} else if (thread->own_word == WORD_NOTIFIED) {
		own_begin(thread);
		sim_line(thread, STEP_READ, &run->user_line);
		sim_call(thread, own_look);
		thread->state = LOOKED;
	} else if (thread->own_word == WORD_PARKED) {
		thread->expected = WORD_PARKED;
		futex_wait_steps(run, thread, 1 + thread->index, true);
	} else if (run->cpus[thread->waiter.cpu].first && thread->yields < WAIT_YIELDS) {
		thread->yields++;
		sim_add(thread, STEP_YIELD);
		sim_line(thread, STEP_READ, &thread->own_line);
	} else {
		sim_line(thread, STEP_READ, &thread->own_line);
		sim_call(thread, own_spin);
		sim_line(thread, STEP_CHANGE, &thread->own_line);
		sim_call(thread, own_park);
	}
}

/* The attempt at the word has failed: looks, then stands in the queue. */
static void own_missed(struct run *run, struct thread *thread)
{
	const bool looks = run->p.newcomers_look > 0 || thread->queued_since > 0;

	if (looks && (thread->looked_ns < run->p.look_ns || thread->yields < run->p.yields)) {
		own_look_steps(run, thread);
		return;
	}
	thread->yields = 0; /* others, in the queue */
	sim_line(thread, STEP_CHANGE, &run->user_line);
	sim_call(thread, own_try_or_enqueue);
	sim_line(thread, STEP_CHANGE, &run->user_line); /* lets go of the queue */
	thread->state = ENQUEUED;
}

/* What follows an unlock: the waiter that it took from the queue, if any, is notified. */
static void own_unlocked(struct run *run, struct thread *thread)
{
	thread->state = NOTIFIED_OTHER;
	thread->flag = false;
	if (!thread->other)
		return;
	sim_line(thread, STEP_CHANGE, &run->user_line); /* lets go of the queue */
	sim_line(thread, STEP_CHANGE, &thread->other->own_line);
	sim_call(thread, own_notify);
}

static void own_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case LOCK_FIRST:
		own_begin(thread);
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, glibc_try);
		thread->state = LOCK_SEEN;
		return;
	case LOCK_SEEN:
		if (thread->flag)
			own_owns(run, thread);
		else
			own_missed(run, thread);
		return;
	case LOOKED:
		thread->state = LOCK_SEEN;
		if (!thread->flag)
			return;
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, glibc_try);
		return;
	case ENQUEUED:
		thread->state = QUEUED;
		if (thread->flag)
			own_owns(run, thread);
		return;
	case QUEUED:
		own_queued(run, thread);
		return;
	case UNLOCKED:
		own_unlocked(run, thread);
		return;
	default:
		if (thread->flag) {
			thread->wake_word = &thread->other->own_word;
			futex_wake_steps(run, thread, 1 + thread->other->index);
		}
		outside(run, thread);
	}
}

static void mutex_next(struct run *run, struct thread *thread)
{
	if (run->design->user == USER_OWNLINE)
		own_next(run, thread);
	else
		glibc_next(run, thread);
}

const struct workload_calls workload_mutex = {.setup = mutex_setup, .next = mutex_next};
