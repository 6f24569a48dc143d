/*
 * A queued spin lock as Linux has it: free, it is taken by one atomic change of its word; taken,
 * one stands in a queue, each waiter on a line of its own, and only the first one looks at the
 * word. So the lock's line moves at least twice per hand-over, and again for each newcomer.
 */
#ifndef OWN_MODEL_SPINLOCK_H
#define OWN_MODEL_SPINLOCK_H

#include "kernel/model/line.h"

enum spin_phase { SPIN_ASK, SPIN_JOIN, SPIN_QUEUED, SPIN_FIRST, SPIN_LOOK, SPIN_TAKE, SPIN_OWNER };

/* In a thread. */
struct spin_waiter {
	enum spin_phase phase;
	int cpu;
	double looked; /* when its last look at the word was done */
	struct spin_waiter *next;
};

struct spinlock {
	struct line *line;
	struct spin_waiter *owner;
	struct spin_waiter *first, *last; /* the queue */
	double released;
	uint64_t taken, given_back;
	bool fault; /* two owners at once */
};

/* Who goes on, and when; at most two at a time. */
struct spin_event {
	struct spin_waiter *waiter; /* NULL: nobody */
	double time;
};

/* One step of getting it: true once it is had, at events[0].time. Fills two events. */
bool spin_lock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
	       double now, struct spin_event events[2]);
/* One attempt; done at *done. */
bool spin_trylock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		  double now, double *done);
/* The event, if any, is the first waiter's. Returns when it is released. */
double spin_unlock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		   double now, struct spin_event *event);
#endif
