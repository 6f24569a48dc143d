/*
 * A queue of parkers: doubly linked, so that a waiter can leave from the middle. Whoever changes it
 * holds the QUEUE bit of the lock or condition variable that owns it.
 */
#ifndef OWN_CORE_QUEUE_H
#define OWN_CORE_QUEUE_H

#include <stdbool.h>

#include "core/parker.h"

struct own_queue {
	struct own_parker *head; /* longest waiting */
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

static inline void own_queue_push_head(struct own_queue *queue, struct own_parker *parker)
{
	parker->previous = NULL;
	parker->next = queue->head;
	if (queue->head)
		queue->head->previous = parker;
	else
		queue->tail = parker;
	queue->head = parker;
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
