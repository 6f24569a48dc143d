/*
 * One contended mutex: what glibc's and ownline's have in common, and glibc's, whose waiters all
 * wait on the lock word. ownline.c has the other.
 */
#include "kernel/model/mutex.h"

enum { LOCK_SEEN = MUTEX_UNLOCKED + 1, LOCK_AGAIN };

static void mutex_setup(struct run *run)
{
	ownline_setup(run);
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

void mutex_become_owner(struct run *run, struct thread *thread)
{
	if (run->user_owner)
		run->fault = "the mutex had two owners";
	run->user_owner = thread;
	thread->flag = true;
}

void mutex_try(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (run->user_word == WORD_FREE) {
		run->user_word = WORD_LOCKED;
		mutex_become_owner(run, thread);
	}
}

void mutex_section(struct run *run, struct thread *thread,
		   void (*unlock)(struct run *run, struct thread *thread))
{
	sim_compute(thread, run->p.section_ns);
	sim_line(thread, STEP_CHANGE, &run->user_line);
	sim_call(thread, unlock);
	thread->state = MUTEX_UNLOCKED;
}

/* Outside the mutex a thread does not always take as long: half to one and a half times. */
void mutex_outside(struct run *run, struct thread *thread)
{
	sim_compute(thread, run->p.outside_ns * (0.5 + sim_random(thread)));
	sim_count_operation(run, thread);
	thread->state = MUTEX_LOCK;
}

static void glibc_try_again(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (run->user_word == WORD_FREE)
		mutex_become_owner(run, thread);
	run->user_word = WORD_WAITERS;
}

static void glibc_unlock(struct run *run, struct thread *thread)
{
	thread->flag = run->user_word == WORD_WAITERS;
	run->user_word = WORD_FREE;
	run->user_owner = NULL;
}

static void glibc_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case MUTEX_LOCK:
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, mutex_try);
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
			mutex_section(run, thread, glibc_unlock);
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
		mutex_outside(run, thread);
	}
}

static void mutex_next(struct run *run, struct thread *thread)
{
	if (run->design->user == USER_OWNLINE)
		ownline_next(run, thread);
	else
		glibc_next(run, thread);
}

const struct workload_calls workload_mutex = {.setup = mutex_setup, .next = mutex_next};
