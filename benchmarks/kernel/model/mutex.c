/*
 * One contended mutex: glibc's, whose waiters all wait on the lock word, and ownline's, whose
 * waiters stand in a queue, each with a word of its own that it looks at before it waits.
 */
#include "kernel/model/sim.h"

enum { LOCK_FIRST, LOCK_AGAIN, LOCK_SEEN, UNLOCKED, QUEUED, QUEUE_SEEN, NOTIFIED_OTHER };
enum { WORD_FREE, WORD_LOCKED, WORD_WAITERS }; /* glibc's lock word; ownline's: the first two */
enum { WORD_SPINNING, WORD_PARKED, WORD_NOTIFIED }; /* ownline's own word */

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

static void own_try(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (thread->count) {
		run->designated = false;
		thread->count = 0;
	}
	if (run->user_word == WORD_FREE) {
		run->user_word = WORD_LOCKED;
		become_owner(run, thread);
		return;
	}
	thread->own_word = WORD_SPINNING;
	thread->own_next = NULL;
	if (run->user_queue)
		run->user_queue_last->own_next = thread;
	else
		run->user_queue = thread;
	run->user_queue_last = thread;
}

/* Looks at its own word until it is notified; who notifies sooner brings the event forward. */
static void own_spin(struct run *run, struct thread *thread)
{
	thread->position = thread->own_word != WORD_NOTIFIED;
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

static void own_unlock(struct run *run, struct thread *thread)
{
	run->user_word = WORD_FREE;
	run->user_owner = NULL;
	thread->other = NULL;
	if (!run->user_queue || run->designated)
		return;
	thread->other = run->user_queue;
	run->user_queue = thread->other->own_next;
	run->designated = true;
}

static void own_notify(struct run *run, struct thread *thread)
{
	struct thread *waiter = thread->other;

	thread->flag = waiter->own_word == WORD_PARKED;
	waiter->own_word = WORD_NOTIFIED;
	waiter->count = 1; /* the designated one */
	if (waiter->position) {
		waiter->position = 0;
		sim_schedule(run, waiter,
			     line_read(&run->net, &waiter->own_line, waiter->waiter.cpu, run->now));
	}
}

static void own_queued(struct run *run, struct thread *thread)
{
	if (thread->own_word == WORD_NOTIFIED) {
		thread->state = LOCK_FIRST;
	} else if (thread->own_word == WORD_PARKED) {
		thread->expected = WORD_PARKED;
		futex_wait_steps(run, thread, 1 + thread->index, true);
	} else {
		sim_line(thread, STEP_READ, &thread->own_line);
		sim_call(thread, own_spin);
		sim_line(thread, STEP_CHANGE, &thread->own_line);
		sim_call(thread, own_park);
	}
}

static void own_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case LOCK_FIRST:
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, own_try);
		thread->state = LOCK_SEEN;
		return;
	case LOCK_SEEN:
		if (thread->flag)
			section(run, thread, own_unlock);
		else
			thread->state = QUEUED;
		return;
	case QUEUED:
		own_queued(run, thread);
		return;
	case UNLOCKED:
		thread->state = NOTIFIED_OTHER;
		thread->flag = false;
		if (!thread->other)
			return;
		sim_line(thread, STEP_CHANGE, &thread->other->own_line);
		sim_call(thread, own_notify);
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
