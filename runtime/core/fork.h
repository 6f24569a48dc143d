/*
 * Fork. Only the forking thread lives on in the child, so queues, QUEUE and DESIGNATED bits that
 * stand in locks there belong to threads that do not exist. Nothing walks the locks: every word
 * with such bits carries the generation of the process that set them, and the child has another
 * generation. Whoever meets a word of a foreign generation treats all of it but LOCKED as zero.
 */
#ifndef OWN_CORE_FORK_H
#define OWN_CORE_FORK_H

#include "base/atomic.h"
#include "base/compiler.h"

#define OWN_GENERATION_SHIFT 8
#define OWN_GENERATION_MASK  (~UINT32_C(0xff))

/*
 * Shifted into place. Changes only where one thread exists: in a fork child. That may be in the
 * middle of a step, when a signal handler that interrupted it forks and returns in the child. So a
 * step reads it once: all that it writes is then of that generation, and foreign in the child.
 */
extern _Atomic uint32_t own_generation;

static inline uint32_t own_generation_now(void)
{
	return own_load_relaxed(&own_generation); /* relaxed: written by the reading thread */
}

/*
 * OWN_FORK_KNOWN, but zero in a child of fork that no handler has seen yet (MADV_WIPEONFORK), and
 * another value while a thread sees to that; NULL: not to be had.
 */
#define OWN_FORK_KNOWN UINT32_C(1)
extern _Atomic uint32_t *own_fork_witness;

void own_fork_start(void);
void own_fork_child(void);

/* On slow paths: sees a child whose handler has not run (yet), as after _Fork or clone. Returns
 * when the generation is the child's, whichever thread has set it. */
static inline void own_fork_check(void)
{
	if (own_unlikely(own_fork_witness && own_load_acquire(own_fork_witness) != OWN_FORK_KNOWN))
		own_fork_child();
}

#endif
