/*
 * The lock word and the mutex around it.
 *
 * Bits, and which mistake about each is harmless:
 *   LOCKED      somebody owns the mutex. Never wrong.
 *   WAITERS     the queue is not empty. Exact whenever QUEUE is clear; while QUEUE is set only its
 *               holder knows, and sets it right when it lets go.
 *   QUEUE       somebody changes the queue. Never wrong.
 *   DESIGNATED  a woken waiter is on its way: who lets go of the queue, having changed something
 *               else in it, need not wake another. An unlock wakes one all the same. May be cleared
 *               too early (a wake too many), and is when the queue becomes empty; never set without
 *               somebody on the way.
 *
 * The upper 24 bits hold the generation (fork.h) while any of the last three is set, else zero.
 */
#ifndef OWN_CORE_MUTEX_WORD_H
#define OWN_CORE_MUTEX_WORD_H

#include "core/fork.h"
#include "core/queue.h"

#define OWN_LOCKED     UINT32_C(1)
#define OWN_WAITERS    UINT32_C(2)
#define OWN_QUEUE      UINT32_C(4)
#define OWN_DESIGNATED UINT32_C(8)
#define OWN_QUEUE_BITS (OWN_WAITERS | OWN_QUEUE | OWN_DESIGNATED)

/*
 * 40 bytes. count, owner and kind stand where glibc has them: debuggers and static initialisers
 * agree on these. All zero is an unlocked mutex of the normal kind. The lock word stands beside the
 * kind, so that one swap of eight bytes looks at both (own_mutex_try_normal).
 */
struct own_mutex {
	_Atomic uint16_t waits; /* condition waits that will lock it again */
	_Atomic uint8_t handed; /* coarse time; handoff_us later unlock looks again */
	_Atomic uint8_t looks;	/* what spinners' first looks found, spin.c */
	/* recursive kind: locks by its owner; others: how often the last owner had taken one */
	_Atomic uint32_t count;
	_Atomic int32_t owner;		  /* tid, 0 when unlocked */
	_Atomic uint16_t cpu;		  /* where the owner took it, plus one; 0: not known */
	_Atomic uint8_t spin;		  /* how often spinning failed, spin.h: two averages */
	_Atomic uint8_t waits_generation; /* of the process that `waits` belongs to, low bits */
	union {
		struct {
			int32_t kind;
			_Atomic uint32_t word;
		};
		_Atomic uint64_t kind_and_word; /* the word in the upper half */
	};
	struct own_queue queue;
};
_Static_assert(sizeof(struct own_mutex) == 40, "fits a pthread_mutex_t of every 64-bit Linux");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the second is the upper half");

/* The flags of a raw word, with those of a foreign generation taken as zero. */
static inline uint32_t own_word_flags(uint32_t raw, uint32_t generation)
{
	if (own_unlikely((raw & OWN_QUEUE_BITS) && (raw & OWN_GENERATION_MASK) != generation))
		return raw & OWN_LOCKED;
	return raw & (OWN_LOCKED | OWN_QUEUE_BITS);
}

/* The raw word for some flags, which were read with the same generation. */
static inline uint32_t own_word_make(uint32_t flags, uint32_t generation)
{
	return flags & OWN_QUEUE_BITS ? flags | generation : flags;
}

static inline uint8_t own_mutex_waits_generation(void)
{
	return (uint8_t)(own_generation_now() >> OWN_GENERATION_SHIFT);
}

/* A condition wait is about to release the mutex, or has it back. Without a thread of this process
 * waiting, the count is zero: a fork child forgets its parent's. */
static inline void own_mutex_wait_begins(struct own_mutex *mutex)
{
	/* relaxed: the caller owns the mutex, or gets EPERM for it and takes its addition back */
	if (own_load_relaxed(&mutex->waits_generation) != own_mutex_waits_generation()) {
		own_store_relaxed(&mutex->waits, 0);
		own_store_relaxed(&mutex->waits_generation, own_mutex_waits_generation());
	}
	own_fetch_add_relaxed(&mutex->waits, 1);
}

static inline void own_mutex_wait_ended(struct own_mutex *mutex)
{
	if (own_load_relaxed(&mutex->waits_generation) == own_mutex_waits_generation())
		own_fetch_add_relaxed(&mutex->waits, UINT16_MAX); /* minus one */
}

static inline bool own_mutex_has_waits(struct own_mutex *mutex)
{
	return own_load_relaxed(&mutex->waits) > 0 &&
	       own_load_relaxed(&mutex->waits_generation) == own_mutex_waits_generation();
}

/* Coarse times tell tens of microseconds apart, within some milliseconds; a wrap costs a wake too
 * many or a hand-over a little late. */
#define OWN_COARSE_SHIFT 16

static inline uint8_t own_coarse(uint64_t ticks)
{
	return (uint8_t)(ticks >> OWN_COARSE_SHIFT);
}

#endif
