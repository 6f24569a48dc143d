/* The steps on a mutex's queue; mutex.c states the algorithm that they belong to. */
#include "core/mutex_queue.h"

#include "core/mutex.h"
#include "core/spin.h"
#include "sys/cpu.h"
#include "sys/delay.h"

/* Waiters that are passed over, at most, for one that runs elsewhere. */
#define WAKE_CHOICES 8
/* Longer than anybody spins, and longer than handoff_us and a time slice. */
#define LONG_WAIT_NS UINT64_C(5000000)

/* Takes the queue from a word in which it was free; sets and clears bits in the same step. */
bool own_mutex_take_queue(struct own_mutex *mutex, uint32_t *raw, uint32_t generation, uint32_t set,
			  uint32_t clear)
{
	uint32_t flags = own_word_flags(*raw, generation);
	uint32_t made = own_word_make((flags | OWN_QUEUE | set) & ~clear, generation);

	own_step("M-queue before");
	/* (M-queue); also (M-unlock) when `clear` has LOCKED */
	if (!own_cas_acq_rel(&mutex->word, raw, made))
		return false;
	/* By I2 the queue is empty; its pointers may be those of another generation. */
	if (!(flags & OWN_WAITERS))
		own_queue_reset(&mutex->queue);
	own_step("M-queue taken");
	return true;
}

/*
 * True if the caller took the queue before a fork and is in the child now: it was interrupted by a
 * signal handler that forked.
 */
static bool is_foreign(struct own_mutex *mutex, uint32_t generation)
{
	uint32_t flags = own_word_flags(own_load_relaxed(&mutex->word), generation);

	return own_unlikely(!(flags & OWN_QUEUE));
}

bool own_mutex_queue_is_foreign(struct own_mutex *mutex)
{
	return is_foreign(mutex, own_generation_now());
}

struct own_parker *own_mutex_pop(struct own_mutex *mutex, struct own_parker *parker)
{
	own_queue_remove(&mutex->queue, parker);
	own_store_relaxed(&parker->claim, OWN_CLAIM_POPPED);
	return parker;
}

struct own_parker *own_mutex_designate(struct own_mutex *mutex, struct own_parker *parker)
{
	parker->designated = 1;
	return own_mutex_pop(mutex, parker);
}

bool own_mutex_waited_long(const struct own_parker *parker, uint64_t now)
{
	/* Signed: a waiter that comes back, or was requeued, may have a time ahead of `now`. */
	return (int64_t)(now - parker->since) > (int64_t)own_ns_to_ticks(LONG_WAIT_NS);
}

/*
 * Pops a waiter to be the designated one: among the first few one that queued on another CPU, since
 * the waker's CPU is busy with the waker; else the first. Not passed over is a real-time waiter
 * that stands first, nor one that has waited long: where many have, the CPUs are busy with those
 * that were woken, and another one is interrupted for nothing. Any other is helped by its age.
 */
struct own_parker *own_mutex_pop_designated(struct own_mutex *mutex)
{
	struct own_parker *first = mutex->queue.head;
	struct own_parker *parker = first;
	uint16_t cpu = own_cpu_mark();

	if (first->priority > 0 || own_mutex_waited_long(first, own_ticks()))
		return own_mutex_designate(mutex, first);
	for (unsigned i = 0; i < WAKE_CHOICES && parker && parker->cpu == cpu; i++)
		parker = parker->next;
	if (!parker || parker->cpu == cpu)
		parker = first;
	return own_mutex_designate(mutex, parker);
}

/*
 * Lets go of the queue; sets and clears LOCKED and DESIGNATED in the same step. Keeps I3: returns
 * the waiter to notify, or NULL.
 */
struct own_parker *own_mutex_leave_queue(struct own_mutex *mutex, uint32_t set, uint32_t clear)
{
	struct own_parker *popped = NULL;
	uint32_t generation = own_generation_now();
	uint32_t raw = own_load_relaxed(&mutex->word);
	uint32_t flags;

	if (is_foreign(mutex, generation)) {
		own_queue_reset(&mutex->queue);
		clear |= set & OWN_LOCKED; /* granted to a thread that does not exist here */
		set = 0;
	}
	do {
		flags = own_word_flags(raw, generation) & (OWN_LOCKED | OWN_DESIGNATED);
		flags = (flags & ~clear) | set;
		if (popped)
			flags |= OWN_DESIGNATED;
		if (!own_queue_is_empty(&mutex->queue)) {
			if (!(flags & (OWN_LOCKED | OWN_DESIGNATED))) {
				popped = own_mutex_pop_designated(mutex);
				flags |= OWN_DESIGNATED;
			}
		}
		/* Without waiters nobody asks whether one is on its way, and the fast paths want
		 * zero. */
		if (own_queue_is_empty(&mutex->queue))
			flags &= ~OWN_DESIGNATED;
		else
			flags |= OWN_WAITERS;
		own_step("M-leave before");
		/* (M-leave) */
	} while (!own_cas_release(&mutex->word, &raw, own_word_make(flags, generation)));
	own_step("M-leave done");
	return popped;
}

/* Waits until the queue is free and takes it. */
uint32_t own_mutex_wait_for_queue(struct own_mutex *mutex)
{
	uint32_t raw = own_load_relaxed(&mutex->word);
	unsigned round = 0;

	for (;;) {
		uint32_t generation = own_generation_now();

		if (own_word_flags(raw, generation) & OWN_QUEUE) {
			own_spin_for_queue(round++);
			raw = own_load_relaxed(&mutex->word);
		} else if (own_mutex_take_queue(mutex, &raw, generation, 0, 0)) {
			return generation;
		}
	}
}
