/*
 * A queue of parkers: doubly linked, so that a waiter can leave from the middle. Whoever changes it
 * holds the QUEUE bit of the lock or condition variable that owns it.
 */
#ifndef OWN_CORE_QUEUE_H
#define OWN_CORE_QUEUE_H

#include <stdbool.h>

#include "core/parker.h"

struct own_queue {
	struct own_parker *head; /* highest priority, of these longest waiting */
	struct own_parker *tail;
};

static inline void own_queue_reset(struct own_queue *queue)
{
	queue->head = NULL;
	queue->tail = NULL;
}

static inline bool own_queue_is_empty(const struct own_queue *queue)
{
	return queue->head == NULL;
}

static inline void own_queue_push_tail(struct own_queue *queue, struct own_parker *parker)
{
	parker->next = NULL;
	parker->previous = queue->tail;
	if (queue->tail)
		queue->tail->next = parker;
	else
		queue->head = parker;
	queue->tail = parker;
}

static inline void own_queue_push_before(struct own_queue *queue, struct own_parker *parker,
					 struct own_parker *next)
{
	if (!next) {
		own_queue_push_tail(queue, parker);
		return;
	}
	parker->next = next;
	parker->previous = next->previous;
	if (next->previous)
		next->previous->next = parker;
	else
		queue->head = parker;
	next->previous = parker;
}

/* Enters a waiter: a real-time one behind those of its priority, any other at the end. */
static inline void own_queue_push(struct own_queue *queue, struct own_parker *parker)
{
	struct own_parker *next = NULL;

	if (own_unlikely(parker->priority > 0)) {
		next = queue->head;
		while (next && next->priority >= parker->priority)
			next = next->next;
	}
	own_queue_push_before(queue, parker, next);
}

/* Enters a waiter that comes back: behind those of its priority that have waited longer. */
static inline void own_queue_push_by_age(struct own_queue *queue, struct own_parker *parker)
{
	struct own_parker *next = queue->head;

	while (next && (next->priority > parker->priority ||
			(next->priority == parker->priority && next->since < parker->since)))
		next = next->next;
	own_queue_push_before(queue, parker, next);
}

static inline void own_queue_remove(struct own_queue *queue, struct own_parker *parker)
{
	if (parker->previous)
		parker->previous->next = parker->next;
	else
		queue->head = parker->next;
	if (parker->next)
		parker->next->previous = parker->previous;
	else
		queue->tail = parker->previous;
}

#endif
