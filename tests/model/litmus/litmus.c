/*
 * Small programs with the atomics of each labelled pair, run over and over by two threads: what the
 * pair forbids must never be seen. The argument per pair is in docs/design/memory-ordering.md.
 *
 * With --weak a pair is weakened to relaxed, and what was seen is only counted: whether this
 * machine, or emulator, can show the fault at all.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOTS 1024

/* A cell per round, so that threads meet without waiting for each other in between. */
struct cell {
	union {
		struct {
			_Alignas(64) uint32_t kind;
			_Atomic uint32_t word;
		};
		_Atomic uint64_t kind_and_word;
	};
	_Alignas(64) _Atomic uint32_t data; /* relaxed: plain data, but no race for sanitizers */
	_Alignas(64) _Atomic uint32_t other;
	uint32_t seen[2];
};

static struct cell cells[SLOTS];
static _Atomic unsigned arrived;
static _Atomic bool stop;
static bool weak;
static unsigned rounds, observed;

static memory_order order(memory_order wanted)
{
	return weak ? memory_order_relaxed : wanted;
}

static bool cas(_Atomic uint32_t *word, uint32_t expected, uint32_t desired, memory_order wanted)
{
	return weak ? atomic_compare_exchange_strong_explicit(
			  word, &expected, desired, memory_order_relaxed, memory_order_relaxed)
		    : atomic_compare_exchange_strong_explicit(word, &expected, desired, wanted,
							      memory_order_relaxed);
}

static void put(_Atomic uint32_t *object, uint32_t value)
{
	atomic_store_explicit(object, value, memory_order_relaxed);
}

static uint32_t get(_Atomic uint32_t *object)
{
	return atomic_load_explicit(object, memory_order_relaxed);
}

/* (M-unlock), (M-lock); also (M-leave), (M-queue): a release CAS read by an acquire CAS. */
static void first_lock(struct cell *cell)
{
	put(&cell->data, 1);
	(void)cas(&cell->word, 1, 2, memory_order_release);
}

static void second_lock(struct cell *cell)
{
	cell->seen[0] = cas(&cell->word, 2, 3, memory_order_acquire);
	cell->seen[1] = get(&cell->data);
}

/* The same, taken by a wider CAS that looks at the kind beside the word too. */
static void second_lock_wide(struct cell *cell)
{
	uint64_t expected = (uint64_t)2 << 32;

	cell->seen[0] = atomic_compare_exchange_strong_explicit(
	    &cell->kind_and_word, &expected, (uint64_t)3 << 32, order(memory_order_acquire),
	    memory_order_relaxed);
	cell->seen[1] = get(&cell->data);
}

/* Two that change the word, one of them by the wider CAS: if both did, one has lost a step. */
static void first_take(struct cell *cell)
{
	cell->seen[0] = cas(&cell->word, 1, 2, memory_order_acquire);
}

static void second_take_wide(struct cell *cell)
{
	uint64_t expected = (uint64_t)1 << 32;

	/* Forbidden is that both saw it free: then seen[1] is 0. */
	cell->seen[1] = !atomic_compare_exchange_strong_explicit(
	    &cell->kind_and_word, &expected, (uint64_t)3 << 32, order(memory_order_acquire),
	    memory_order_relaxed);
}

/* (M-unlock), a step on the word by a third party in between, relaxed where the runtime has none
 * that weak, (M-lock). */
static void second_designated(struct cell *cell)
{
	(void)cas(&cell->word, 2, 4, memory_order_relaxed);
	cell->seen[0] = cas(&cell->word, 4, 3, memory_order_acquire);
	cell->seen[1] = get(&cell->data);
}

/* (P-notify): an exchange; (P-seen): a load. */
static void first_notify(struct cell *cell)
{
	put(&cell->data, 1);
	(void)atomic_exchange_explicit(&cell->word, 2, order(memory_order_acq_rel));
}

static void second_notify(struct cell *cell)
{
	cell->seen[0] = atomic_load_explicit(&cell->word, order(memory_order_acquire)) == 2;
	cell->seen[1] = get(&cell->data);
}

/* (C-leave): a store; (C-queue): an acquire CAS. */
static void first_leave(struct cell *cell)
{
	put(&cell->data, 1);
	atomic_store_explicit(&cell->word, 2, order(memory_order_release));
}

/* (S-push) and (S-pop), (S-slab), (C-poke)'s ready word: a release CAS or store read by an acquire
 * load. */
static void second_pop(struct cell *cell)
{
	second_notify(cell);
}

/* (C-poke): each side stores its own and looks for the other's, with a full fence between. */
static void first_poke(struct cell *cell)
{
	put(&cell->data, 1);
	if (!weak)
		atomic_thread_fence(memory_order_seq_cst);
	cell->seen[0] = get(&cell->other) == 0;
}

static void second_poke(struct cell *cell)
{
	put(&cell->other, 1);
	if (!weak)
		atomic_thread_fence(memory_order_seq_cst);
	cell->seen[1] = get(&cell->data);
}

/* (T-inherit): relaxed on both sides, fences between. */
static void first_inherit(struct cell *cell)
{
	put(&cell->data, 1);
	if (!weak)
		atomic_thread_fence(memory_order_release);
	put(&cell->word, 2);
}

static void second_inherit(struct cell *cell)
{
	cell->seen[0] = get(&cell->word) == 2;
	if (!weak)
		atomic_thread_fence(memory_order_acquire);
	cell->seen[1] = get(&cell->data);
}

static const struct litmus {
	const char *name;
	void (*first)(struct cell *cell);
	void (*second)(struct cell *cell);
} tests[] = {
    {"m_lock", first_lock, second_lock},
    {"m_lock_with_kind", first_lock, second_lock_wide},
    {"m_take_with_kind", first_take, second_take_wide},
    {"m_queue", first_lock, second_lock},
    {"m_lock_past_designation", first_lock, second_designated},
    {"p_notify", first_notify, second_notify},
    {"c_queue", first_leave, second_lock},
    {"s_pop", first_lock, second_pop},
    {"s_slab", first_leave, second_pop},
    {"c_poke", first_poke, second_poke},
    {"c_poke_ready", first_leave, second_pop},
    {"t_inherit", first_inherit, second_inherit},
};

/* Both threads come here; odd and even meetings alternate. */
static void meet(unsigned number)
{
	unsigned spins = 0;

	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < 2 * number)
		if (++spins > 20000) /* asleep, they would never run side by side */
			(void)sched_yield();
}

static void *second_thread(void *test)
{
	for (unsigned number = 1;; number += 2) {
		meet(number);
		if (atomic_load(&stop))
			return NULL;
		/* Against the first thread's direction they are sure to cross once in a round;
		 * along with it they may run side by side. */
		for (unsigned i = 0; i < SLOTS; i++)
			((const struct litmus *)test)
			    ->second(&cells[number & 2 ? i : SLOTS - 1 - i]);
		meet(number + 1);
	}
}

static double seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run(const struct litmus *test, double seconds)
{
	double end = seconds_now() + seconds;
	pthread_t thread;

	if (pthread_create(&thread, NULL, second_thread, (void *)(uintptr_t)test) != 0)
		abort();
	for (unsigned number = 1;; number += 2) {
		for (unsigned i = 0; i < SLOTS; i++) {
			put(&cells[i].word, 1);
			put(&cells[i].data, 0);
			put(&cells[i].other, 0);
			cells[i].seen[0] = cells[i].seen[1] = 0;
		}
		if (seconds_now() > end)
			atomic_store(&stop, true);
		meet(number);
		if (atomic_load(&stop))
			break;
		for (unsigned i = 0; i < SLOTS; i++)
			test->first(&cells[i]);
		meet(number + 1);
		rounds++;
		/* Seen the word, but not the data; or neither side saw the other. */
		for (unsigned i = 0; i < SLOTS; i++)
			observed += cells[i].seen[0] && !cells[i].seen[1];
	}
	(void)pthread_join(thread, NULL);
}

static int usage(FILE *to, int status)
{
	fprintf(to, "Usage: litmus TEST [--weak] [--seconds N]\nTests:");
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		fprintf(to, " %s", tests[i].name);
	fprintf(to, "\n--weak drops the order and only counts what is seen then.\n");
	return status;
}

int main(int argc, char **argv)
{
	const struct litmus *test = NULL;
	double seconds = 1;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return usage(stdout, 0);
		if (strcmp(argv[i], "--weak") == 0)
			weak = true;
		else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
			seconds = strtod(argv[++i], NULL);
		for (size_t j = 0; j < sizeof(tests) / sizeof(*tests); j++)
			if (strcmp(argv[i], tests[j].name) == 0)
				test = &tests[j];
	}
	if (!test || seconds <= 0) {
		fprintf(stderr, "litmus: a test is wanted; litmus --help names them\n");
		return 2;
	}
	run(test, seconds);
	printf("%s: %u times %d tries, forbidden outcome seen %u times%s\n", test->name, rounds,
	       SLOTS, observed, weak ? " (order dropped)" : "");
	return !weak && observed ? 1 : 0;
}
