/* Futex calls alone, and threads that pass messages on. */
#include <stdlib.h>

#include "kernel/model/sim.h"

#define PAGE_WORDS 1024

static void hash_setup(struct run *run)
{
	size_t pages = (size_t)(run->p.threads * run->p.words) / PAGE_WORDS + 1;

	run->words_of_thread = run->p.words;
	if (run->p.shared == 0)
		return;
	run->pages = calloc(pages, sizeof(*run->pages));
	if (!run->pages)
		abort();
	for (size_t i = 0; i < pages; i++)
		line_init(&run->pages[i]);
}

/* As `perf bench futex hash`: each thread goes round its own words. */
static void hash_next(struct run *run, struct thread *thread)
{
	const unsigned words = (unsigned)run->p.words;

	if (thread->flag)
		sim_count_operation(run, thread);
	thread->flag = true;
	thread->mismatches = sim_random(thread) * 100 < run->p.mismatch;
	futex_wait_steps(run, thread, (uint64_t)thread->index * words + thread->position, false);
	thread->position = (thread->position + 1) % words;
}

const struct workload_calls workload_hash = {.setup = hash_setup, .next = hash_next};

enum { BOUNCE_LOOK, BOUNCE_LOOKED };

/*
 * The first turn is taken late, when the others sleep already: without that none would ever sleep,
 * since a word changes hands sooner than a call is done, and this way none is ever sooner.
 */
static void bounce_setup(struct run *run)
{
	run->threads[0].start_ns = 4 * run->p.call_ns;
	for (unsigned i = 0; i < run->thread_count; i++) {
		run->threads[i].word = &run->user_word;
		run->threads[i].word_line = &run->user_line;
		run->threads[i].wake_word = &run->user_word;
	}
}

static void bounce_look(struct run *run, struct thread *thread)
{
	thread->flag = run->user_word == thread->index;
}

static void bounce_pass(struct run *run, struct thread *thread)
{
	run->user_word = (thread->index + 1) % run->thread_count;
	sim_count_operation(run, thread);
}

/* A word says whose turn it is; the others wait for it to change. */
static void bounce_next(struct run *run, struct thread *thread)
{
	if (thread->state == BOUNCE_LOOK) {
		sim_line(thread, STEP_READ, &run->user_line);
		sim_call(thread, bounce_look);
		thread->state = BOUNCE_LOOKED;
		return;
	}
	thread->state = BOUNCE_LOOK;
	if (thread->flag) {
		sim_line(thread, STEP_CHANGE, &run->user_line);
		sim_call(thread, bounce_pass);
		futex_wake_steps(run, thread, 0);
	} else {
		thread->expected = (thread->index + 1) % run->thread_count;
		futex_wait_steps(run, thread, 0, true);
	}
}

const struct workload_calls workload_bounce = {.setup = bounce_setup, .next = bounce_next};

enum { CHAT_RECEIVE, CHAT_RECEIVED, CHAT_DELIVERED };

static void chat_setup(struct run *run)
{
	run->words_of_thread = 1;
	for (unsigned i = 0; i < run->thread_count; i++) {
		struct thread *thread = &run->threads[i];

		thread->word = &thread->own_word;
		thread->word_line = &thread->own_line;
		thread->count = 1;
	}
}

/* position: it has a message; flag: somebody who delivers has to wake it. */
static void chat_receive(struct run *run, struct thread *thread)
{
	(void)run;
	thread->position = thread->count > 0;
	thread->flag = thread->count == 0;
	thread->expected = thread->own_word;
	if (thread->count)
		thread->count--;
}

static void chat_deliver(struct run *run, struct thread *thread)
{
	struct thread *member = thread->other;

	member->count++;
	member->own_word++;
	if (!member->flag)
		thread->other = NULL;
	member->flag = false;
	sim_count_operation(run, thread);
}

static void chat_send(struct run *run, struct thread *thread)
{
	const unsigned room = (unsigned)run->p.room;
	const unsigned first = thread->index / room * room;
	const unsigned members =
	    first + room <= run->thread_count ? room : run->thread_count - first;

	thread->other = &run->threads[first + (unsigned)(sim_random(thread) * members)];
	sim_compute(thread, run->p.message_ns);
	sim_line(thread, STEP_CHANGE, &thread->other->own_line);
	sim_call(thread, chat_deliver);
	thread->state = CHAT_DELIVERED;
}

/* Each thread takes a message from its mailbox and sends it on to a member of its room. */
static void chat_next(struct run *run, struct thread *thread)
{
	switch (thread->state) {
	case CHAT_RECEIVE:
		sim_line(thread, STEP_CHANGE, &thread->own_line);
		sim_call(thread, chat_receive);
		thread->state = CHAT_RECEIVED;
		return;
	case CHAT_RECEIVED:
		if (thread->position) {
			chat_send(run, thread);
			return;
		}
		thread->state = CHAT_RECEIVE;
		futex_wait_steps(run, thread, thread->index, true);
		return;
	default:
		thread->state = CHAT_RECEIVE;
		if (!thread->other)
			return;
		thread->wake_word = &thread->other->own_word;
		futex_wake_steps(run, thread, thread->other->index);
	}
}

const struct workload_calls workload_chat = {.setup = chat_setup, .next = chat_next};
