/* One contended mutex, glibc's or ownline's: what both have. */
#ifndef OWN_MODEL_MUTEX_H
#define OWN_MODEL_MUTEX_H

#include "kernel/model/sim.h"

/* A thread's states; each library adds its own. */
enum { MUTEX_LOCK, MUTEX_UNLOCKED };
/* The lock word; ownline's: the first two, its other bits are found in the queue. */
enum { WORD_FREE, WORD_LOCKED, WORD_WAITERS };

/* The thread asks whether it gets the mutex: `flag` says. */
void mutex_try(struct run *run, struct thread *thread);
void mutex_become_owner(struct run *run, struct thread *thread);
/* The work under the mutex, and the change of its word that ends it. */
void mutex_section(struct run *run, struct thread *thread,
		   void (*unlock)(struct run *run, struct thread *thread));
void mutex_outside(struct run *run, struct thread *thread);

/* ownline.c: what follows from the number of CPUs; the next steps of a thread. */
void ownline_setup(struct run *run);
void ownline_next(struct run *run, struct thread *thread);
#endif
