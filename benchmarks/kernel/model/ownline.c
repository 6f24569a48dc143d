/*
 * ownline's mutex: its waiters look at the word a few times, then stand in a queue, each with a
 * word of its own that it looks at before it waits.
 *
 * Left out: spinning that is given up because it often failed; yields of a spinner in the queue
 * that nobody else uses; that only one thread at a time changes the queue.
 */
#include "kernel/model/mutex.h"

#include <math.h>

enum {
	LOCK_SEEN = MUTEX_UNLOCKED + 1,
	LOOKED,
	TRIED,
	ENQUEUED,
	QUEUED,
	UNLOCKED_SLOWLY,
	NOTIFIED_OTHER
};
enum { WORD_SPINNING, WORD_PARKED, WORD_NOTIFIED }; /* its own */

/* The constants of runtime/core/spin.c, mutex_unlock.c and mutex_queue.c, by the same names. */
#define LOOK_STEP_NS	   20
#define MOST_STEP_NS	   200
#define PATIENT_STEP_NS	   25
#define PATIENT_CPUS	   16
#define RUSH		   2
#define RUSHED_MOST	   31
#define RUSHED_MANY	   (RUSHED_MOST / 3)
#define RUSHED_FEW	   2
#define EARLY_LOOKS	   8
#define PASSED_ON	   3
#define MORE_TURNS	   4
#define PATIENCE_MOST	   7
#define PATIENCE_FALLS	   8
#define HANDOFF_ASLEEP	   16
#define LAST_LOOK_MUTEX_NS 5000
#define WAKE_CHOICES	   8
/* The defaults of options that are no parameters. */
#define WAIT_YIELDS 12
#define HANDOFF_NS  1e6

void ownline_setup(struct run *run)
{
	struct model_parameters *p = &run->p;

	if (p->patient_ns < 0)
		p->patient_ns = PATIENT_STEP_NS * fmin(p->cpus, PATIENT_CPUS);
	if (p->count_all < 0)
		p->count_all = p->cpus > 2;
}

/* The first attempt: only at a mutex that nobody waits for. Spinners look at how often it succeeds;
 * with `count-all`, at how often any does. */
static void try_fast(struct run *run, struct thread *thread)
{
	thread->flag = false;
	if (run->user_queue || run->designated)
		return;
	mutex_try(run, thread);
	run->taken += thread->flag;
}

static void try_past_waiters(struct run *run, struct thread *thread)
{
	mutex_try(run, thread);
	run->taken += thread->flag && run->p.count_all > 0;
}

static void look_asks(struct run *run, struct thread *thread)
{
	thread->look_asked_ns = run->now;
}

static void look(struct run *run, struct thread *thread)
{
	thread->look_seen_ns = run->now;
	thread->flag = run->user_word == WORD_FREE;
}

/* The look itself takes only the line; the mutex is taken by a change of it. */
static void look_steps(struct run *run, struct thread *thread)
{
	sim_call(thread, look_asks);
	sim_line(thread, STEP_READ, &run->user_line);
	sim_call(thread, look);
	thread->state = LOOKED;
}

/* Before the queue, and again by a waiter that has been woken: a look at once, then looks_begin. */
static void begin(struct run *run, struct thread *thread)
{
	thread->spinning = false;
	thread->yields = 0;
	look_steps(run, thread);
}

/*
 * What the first pause is for. A mutex is rushed if more than one early look in three finds that it
 * is taken more than once while its line travels RUSH times: then a wait is patient, but for one in
 * EARLY_LOOKS.
 */
static void looks_begin(struct run *run, struct thread *thread)
{
	const bool early = sim_random(thread) * EARLY_LOOKS < 1;

	thread->spinning = true;
	thread->looks_until = run->now + run->p.look_ns;
	thread->looks_since_ns = run->now;
	thread->taken_before = run->taken;
	thread->pause_ns = LOOK_STEP_NS;
	thread->patient = run->rushed > RUSHED_MANY && !early;
	thread->learns = early || thread->patient;
	thread->more_turns = run->rushed > RUSHED_FEW ? 0 : MORE_TURNS;
	if (thread->patient)
		thread->pause_ns = run->p.patient_ns * (1 << run->patience);
}

/* A chain whose mean is the share of early looks that found the mutex rushed. */
static bool learn_rush(struct run *run, struct thread *thread)
{
	const double travel_ns = thread->look_seen_ns - thread->look_asked_ns;
	const double taken = (double)(run->taken - thread->taken_before);
	const bool so = taken * travel_ns * RUSH > thread->look_seen_ns - thread->looks_since_ns;
	const double chance = sim_random(thread) * (RUSHED_MOST + 1);

	if (so && chance < RUSHED_MOST - run->rushed)
		run->rushed++;
	else if (!so && chance < run->rushed)
		run->rushed--;
	else
		return false;
	return true;
}

static bool learn_patience(struct run *run, struct thread *thread)
{
	if (!thread->flag && run->patience < PATIENCE_MOST)
		run->patience++;
	else if (thread->flag && run->patience > 0 && sim_random(thread) * PATIENCE_FALLS < 1)
		run->patience--;
	else
		return false;
	return true;
}

/* After the first look of a wait. What is learnt is written into the mutex's line. */
static void learn_steps(struct run *run, struct thread *thread)
{
	bool changed;

	if (!thread->spinning || !thread->learns)
		return;
	thread->learns = false;
	changed = thread->patient ? learn_patience(run, thread) : learn_rush(run, thread);
	if (changed)
		sim_line(thread, STEP_CHANGE, &run->user_line);
}

/* Half of the pause and up to as much again, at random; the next one may be twice as long. */
static void pause_steps(struct run *run, struct thread *thread)
{
	const double most = fmin(LOOK_STEP_NS * (run->p.cpus - 1), MOST_STEP_NS);

	sim_compute(thread, thread->pause_ns * (0.5 + 0.5 * sim_random(thread)));
	if (thread->pause_ns < most)
		thread->pause_ns = fmin(2 * thread->pause_ns, most);
}

/* In the order of age: who was overtaken after it had been woken stands where it stood. */
static void enqueue(struct run *run, struct thread *thread)
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
static void arrives(struct run *run, struct thread *thread)
{
	if (thread->designated)
		run->designated = thread->designated = false;
}

static void try_or_enqueue(struct run *run, struct thread *thread)
{
	arrives(run, thread);
	try_past_waiters(run, thread);
	if (!thread->flag)
		enqueue(run, thread);
}

/* The mutex was taken often while the thread looked. */
static bool is_passed_on(struct run *run, struct thread *thread)
{
	const uint64_t before = thread->taken_before;

	thread->taken_before = run->taken;
	return run->taken - before >= PASSED_ON;
}

/* After an attempt that failed: pauses and looks, then yields and looks, then the queue. */
static void missed(struct run *run, struct thread *thread)
{
	if (!thread->spinning)
		looks_begin(run, thread);
	else if (run->now >= thread->looks_until && thread->more_turns > 0 &&
		 is_passed_on(run, thread)) {
		thread->more_turns--;
		thread->looks_until = run->now + run->p.look_ns;
	}
	if (run->now < thread->looks_until) {
		pause_steps(run, thread);
		look_steps(run, thread);
		return;
	}
	if (thread->yields < run->p.yields) {
		thread->yields++;
		sim_add(thread, STEP_YIELD);
		look_steps(run, thread);
		return;
	}
	thread->yields = 0; /* others, in the queue */
	sim_line(thread, STEP_CHANGE, &run->user_line);
	sim_call(thread, try_or_enqueue);
	sim_line(thread, STEP_CHANGE, &run->user_line); /* lets go of the queue */
	thread->state = ENQUEUED;
}

/*
 * Looks at its own word until it is notified; who notifies sooner brings the event forward. While
 * others want the CPU, that is once yields have not helped: no more than a last look.
 */
static void spin(struct run *run, struct thread *thread)
{
	const bool crowded = run->cpus[thread->waiter.cpu].first;

	thread->position = thread->own_word != WORD_NOTIFIED;
	if (thread->position)
		sim_schedule(run, thread,
			     run->now + (crowded ? LAST_LOOK_MUTEX_NS : run->p.spin_ns));
}

static void park(struct run *run, struct thread *thread)
{
	(void)run;
	thread->position = 0;
	if (thread->own_word == WORD_SPINNING)
		thread->own_word = WORD_PARKED;
}

/* Among the first few one that queued on another CPU; else the first. */
static struct thread **choose(struct run *run, int cpu)
{
	struct thread **link = &run->user_queue;

	for (unsigned i = 0; i < WAKE_CHOICES && *link && (*link)->waiter.cpu == cpu; i++)
		link = &(*link)->own_next;
	return *link && (*link)->waiter.cpu != cpu ? link : &run->user_queue;
}

/*
 * Whom an unlock wakes. Now and then the first waiter, if it was overtaken for long, and then it
 * gets the mutex if it is awake. That one is on its way is noted only for those still queued.
 */
static struct thread *pop(struct run *run, struct thread *thread)
{
	struct thread **link = choose(run, thread->waiter.cpu);
	double age = run->now - run->user_queue->queued_since;
	struct thread *waiter;

	if (run->now - run->handed > HANDOFF_NS && age > HANDOFF_NS) {
		link = &run->user_queue;
		run->handed = run->now;
		(*link)->granted =
		    (*link)->own_word == WORD_SPINNING || age > HANDOFF_ASLEEP * HANDOFF_NS;
	}
	waiter = *link;
	*link = waiter->own_next;
	waiter->designated = true;
	run->designated = run->user_queue != NULL;
	return waiter;
}

static void release(struct run *run)
{
	run->user_word = WORD_FREE;
	run->user_owner = NULL;
}

/* The change of the word that assumes that nobody waits. */
static void unlock_fast(struct run *run, struct thread *thread)
{
	thread->other = NULL;
	thread->flag = run->user_queue || run->designated;
	if (!thread->flag)
		release(run);
}

/*
 * Each unlock wakes a waiter while there is one, whoever is on its way already; with `one-wake`,
 * as it once was, nobody else meanwhile.
 */
static void unlock_slow(struct run *run, struct thread *thread)
{
	const bool wakes = run->user_queue && !(run->designated && run->p.one_wake > 0);

	release(run);
	if (!wakes)
		return;
	thread->other = pop(run, thread);
	if (thread->other->granted) {
		run->user_word = WORD_LOCKED;
		run->user_owner = thread->other;
	}
}

static void notify(struct run *run, struct thread *thread)
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

static void owns(struct run *run, struct thread *thread)
{
	thread->queued_since = 0;
	thread->granted = false;
	arrives(run, thread);
	mutex_section(run, thread, unlock_fast);
}

static void owns_or_missed(struct run *run, struct thread *thread)
{
	if (thread->flag)
		owns(run, thread);
	else
		missed(run, thread);
}

static void queued(struct run *run, struct thread *thread)
{
	if (thread->own_word == WORD_NOTIFIED && thread->granted) {
		run->taken += run->p.count_all > 0;
		owns(run, thread);
	} else if (thread->own_word == WORD_NOTIFIED) {
		begin(run, thread);
	} else if (thread->own_word == WORD_PARKED) {
		thread->expected = WORD_PARKED;
		futex_wait_steps(run, thread, 1 + thread->index, true);
	} else if (run->cpus[thread->waiter.cpu].first && thread->yields < WAIT_YIELDS) {
		thread->yields++;
		sim_add(thread, STEP_YIELD);
		sim_line(thread, STEP_READ, &thread->own_line);
	} else {
		sim_line(thread, STEP_READ, &thread->own_line);
		sim_call(thread, spin);
		sim_line(thread, STEP_CHANGE, &thread->own_line);
		sim_call(thread, park);
	}
}

/* What follows an unlock: the waiter that it took from the queue, if any, is notified. */
static void unlocked(struct run *run, struct thread *thread)
{
	thread->state = NOTIFIED_OTHER;
	thread->flag = false;
	if (!thread->other)
		return;
	sim_line(thread, STEP_CHANGE, &run->user_line); /* lets go of the queue */
	sim_line(thread, STEP_CHANGE, &thread->other->own_line);
	sim_call(thread, notify);
}

void ownline_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case MUTEX_LOCK:
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, try_fast);
		thread->state = LOCK_SEEN;
		return;
	case LOCK_SEEN:
		if (thread->flag)
			owns(run, thread);
		else
			begin(run, thread);
		return;
	case LOOKED:
		thread->state = TRIED;
		if (!thread->flag)
			return;
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, try_past_waiters);
		return;
	case TRIED:
		learn_steps(run, thread);
		owns_or_missed(run, thread);
		return;
	case ENQUEUED:
		thread->state = QUEUED;
		if (thread->flag)
			owns(run, thread);
		return;
	case QUEUED:
		queued(run, thread);
		return;
	case MUTEX_UNLOCKED:
		thread->state = UNLOCKED_SLOWLY;
		if (!thread->flag)
			return;
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, unlock_slow);
		return;
	case UNLOCKED_SLOWLY:
		unlocked(run, thread);
		return;
	default:
		if (thread->flag) {
			thread->wake_word = &thread->other->own_word;
			futex_wake_steps(run, thread, 1 + thread->other->index);
		}
		mutex_outside(run, thread);
	}
}
