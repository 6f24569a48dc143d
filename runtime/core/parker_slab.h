/*
 * Where parkers come from: slabs that are never unmapped, so a parker's memory stays a parker for
 * ever (type-stable). Lock-free, and safe in a signal handler.
 *
 * There is one free list for each predicted futex bucket of a table of 64. A parker is taken from
 * the list whose bucket has the fewest parkers in use: looked at in a table of 16, the smallest
 * that the kernel makes by itself; of equal ones the best in a table of 32, then of 64. So waiters
 * meet in the kernel's buckets as seldom as can be, whatever the size of its table
 * (sys/futex_hash.h). Up to 16 parkers in use never share a bucket of 16, unless memory runs out;
 * more are spread evenly.
 *
 * The first slab is static: small programs map nothing.
 */
#ifndef OWN_CORE_PARKER_SLAB_H
#define OWN_CORE_PARKER_SLAB_H

#include "core/parker.h"

#define OWN_PARKER_BUCKETS 64

/* NULL when no memory for another slab can be had. */
struct own_parker *own_parker_slab_take(void);
void own_parker_slab_give(struct own_parker *parker, uint32_t generation);

/* Calls visit for every parker of every slab, in use or not. */
void own_parker_slab_visit(void (*visit)(struct own_parker *parker, void *context), void *context);

/* In a fork child with one thread: rebuilds the free lists; keep(parker) says which stay in use. */
void own_parker_slab_rebuild(bool (*keep)(const struct own_parker *parker));

#endif
