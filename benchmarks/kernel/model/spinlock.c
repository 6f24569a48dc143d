#include "kernel/model/spinlock.h"

static void own(struct spinlock *lock, struct spin_waiter *self, double time)
{
	/* The release may still be under way when somebody asks, but never when somebody has it. */
	if (lock->owner || time < lock->released)
		lock->fault = true;
	lock->owner = self;
	lock->taken++;
	self->phase = SPIN_OWNER;
}

static void leave_queue(struct spinlock *lock, struct spin_waiter *self)
{
	lock->first = self->next;
	if (!lock->first)
		lock->last = NULL;
	self->next = NULL;
}

/* The next waiter is told through its own line, and then looks at the lock's. */
static void tell_next(const struct interconnect *net, const struct spinlock *lock, int cpu,
		      double now, struct spin_event *event)
{
	struct spin_waiter *next = lock->first;

	if (!next)
		return;
	next->phase = SPIN_LOOK;
	event->waiter = next;
	event->time = now + line_distance(net, cpu, next->cpu);
}

static bool take_as_first(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
			  double now, struct spin_event events[2])
{
	events[0].time = line_change(net, lock->line, self->cpu, now);
	leave_queue(lock, self);
	own(lock, self, events[0].time);
	tell_next(net, lock, self->cpu, events[0].time, &events[1]);
	return true;
}

static bool join(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		 double now, struct spin_event events[2])
{
	double done = line_change(net, lock->line, self->cpu, now);

	self->next = NULL;
	if (lock->last)
		lock->last->next = self;
	else
		lock->first = self;
	lock->last = self;
	self->looked = done;
	events[0].waiter = NULL;
	if (lock->first != self) {
		self->phase = SPIN_QUEUED;
	} else if (lock->owner) {
		self->phase = SPIN_FIRST;
	} else {
		self->phase = SPIN_TAKE;
		events[0].waiter = self;
		events[0].time = done;
	}
	return false;
}

static bool look(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		 double now, struct spin_event events[2])
{
	self->looked = line_read(net, lock->line, self->cpu, now);
	if (lock->owner) {
		self->phase = SPIN_FIRST;
		events[0].waiter = NULL;
	} else {
		self->phase = SPIN_TAKE;
		events[0].time = self->looked;
	}
	return false;
}

bool spin_lock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
	       double now, struct spin_event events[2])
{
	events[0].waiter = self;
	events[1].waiter = NULL;
	switch (self->phase) {
	case SPIN_ASK:
		if (spin_trylock(net, lock, self, now, &events[0].time))
			return true;
		self->phase = SPIN_JOIN;
		return false;
	case SPIN_JOIN:
		return join(net, lock, self, now, events);
	case SPIN_LOOK:
		return look(net, lock, self, now, events);
	case SPIN_TAKE:
		return take_as_first(net, lock, self, now, events);
	case SPIN_QUEUED:
	case SPIN_FIRST:
	case SPIN_OWNER:
		break;
	}
	lock->fault = true;
	return false;
}

bool spin_trylock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		  double now, double *done)
{
	*done = line_change(net, lock->line, self->cpu, now);
	if (lock->owner || lock->first)
		return false;
	own(lock, self, *done);
	return true;
}

double spin_unlock(struct interconnect *net, struct spinlock *lock, struct spin_waiter *self,
		   double now, struct spin_event *event)
{
	double done = line_change(net, lock->line, self->cpu, now);
	struct spin_waiter *first = lock->first;

	if (lock->owner != self)
		lock->fault = true;
	lock->owner = NULL;
	lock->released = done;
	lock->given_back++;
	self->phase = SPIN_ASK;
	event->waiter = NULL;
	if (first && first->phase == SPIN_FIRST) {
		first->phase = SPIN_LOOK;
		event->waiter = first;
		event->time = done > first->looked ? done : first->looked;
	}
	return done;
}
