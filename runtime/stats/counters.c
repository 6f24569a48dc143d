#include "stats/counters.h"

#include "base/atomic.h"
#include "stats/histogram.h"

#include <stddef.h>
#include <string.h>

/* A counter block is nothing but 64-bit words, the last of which is a maximum. */
#define COUNTER_WORDS (sizeof(struct own_counters) / sizeof(_Atomic uint64_t))
_Static_assert(offsetof(struct own_counters, longest_wait_ns) ==
		   (COUNTER_WORDS - 1) * sizeof(uint64_t),
	       "longest_wait_ns comes last");

static _Atomic uint64_t *words_of(struct own_counters *counters)
{
	return &counters->waits[0].count;
}

/*
 * A bit for each slot of this process's segment that a thread holds. Apart from the slots: in a
 * program of many short threads a search through these themselves took microseconds.
 */
static _Atomic uint64_t slots_taken[OWN_THREADS / 64];

_Static_assert(sizeof(struct own_counters) <= 4096, "lie in two pages at most");

/*
 * Has the pages made by a write. Plain additions read first: each new page would be mapped for
 * reading, then copied, with the other CPUs of the process interrupted to forget the first mapping.
 */
static void make_pages(struct own_counters *counters)
{
	_Atomic uint64_t *words = words_of(counters);
	uint64_t none = 0;

	/* relaxed: changes nothing. Not an addition of zero, which a compiler may make a mere read.
	 */
	(void)own_cas_relaxed(&words[0], &none, 0);
	none = 0;
	(void)own_cas_relaxed(&words[COUNTER_WORDS - 1], &none, 0);
}

/* The lowest free slot: these are used again and again, so that readers have few to add up. */
static struct own_thread_slot *take_slot(struct own_segment *segment)
{
	for (uint32_t i = 0; i < own_array_size(slots_taken); i++) {
		uint64_t taken = own_load_relaxed(&slots_taken[i]);

		while (taken != UINT64_MAX) {
			uint32_t bit = (uint32_t)__builtin_ctzll(~taken);

			/* Acquire: pairs with the release in detach, so that the last owner's plain
			   additions are seen before ours. */
			if (own_cas_acquire(&slots_taken[i], &taken, taken | UINT64_C(1) << bit))
				return &segment->threads[i * 64 + bit];
		}
	}
	return NULL;
}

struct own_counters *own_counters_attach(void)
{
	struct own_segment *segment = own_stats_segment();
	struct own_thread_slot *slot = take_slot(segment);
	uint32_t used;
	uint32_t index;

	if (slot == NULL) {
		own_fetch_add_relaxed(&segment->threads_overflow, 1);
		return NULL;
	}
	index = (uint32_t)(slot - segment->threads);
	used = own_load_relaxed(&segment->threads_used);
	while (used <= index && !own_cas_relaxed(&segment->threads_used, &used, index + 1))
		;
	make_pages(&slot->counters);
	return &slot->counters;
}

void own_counters_detach(struct own_counters *counters)
{
	struct own_thread_slot *slot;
	size_t index;

	if (counters == NULL || own_counters_is_shared(counters))
		return;
	slot = own_container_of(counters, struct own_thread_slot, counters);
	index = (size_t)(slot - own_stats_segment()->threads);
	own_fetch_and_release(&slots_taken[index / 64], ~(UINT64_C(1) << index % 64));
}

void own_counters_free_slots(void)
{
	for (size_t i = 0; i < own_array_size(slots_taken); i++)
		own_store_relaxed(&slots_taken[i], 0);
}

struct own_counters *own_counters_shared(void)
{
	return &own_stats_segment()->shared;
}

bool own_counters_is_shared(const struct own_counters *counters)
{
	return counters == &own_stats_segment()->shared;
}

void own_counters_add(struct own_counters *counters, _Atomic uint64_t *field, uint64_t value)
{
	if (own_counters_is_shared(counters))
		own_fetch_add_relaxed(field, value);
	else
		own_add_single_writer(field, value);
}

static void raise_shared(_Atomic uint64_t *field, uint64_t value)
{
	uint64_t seen = own_load_relaxed(field);

	/* Each failure means that the field has grown, so this ends. */
	while (seen < value && !own_cas_relaxed(field, &seen, value))
		;
}

void own_counters_raise(struct own_counters *counters, _Atomic uint64_t *field, uint64_t value)
{
	if (own_counters_is_shared(counters))
		raise_shared(field, value);
	else if (own_load_relaxed(field) < value)
		own_store_relaxed(field, value);
}

void own_counters_wait(struct own_counters *counters, enum own_wait_outcome outcome,
		       uint64_t time_ns)
{
	struct own_outcome *wait = &counters->waits[outcome];

	own_counters_add(counters, &wait->count, 1);
	own_counters_add(counters, &wait->time_ns, time_ns);
	own_counters_add(counters, &wait->histogram[own_histogram_bucket(time_ns)], 1);
}

static void add_words(struct own_counters *sum, const struct own_counters *counters)
{
	_Atomic uint64_t *to = words_of(sum);
	_Atomic uint64_t *from = words_of((struct own_counters *)(uintptr_t)counters);

	for (size_t i = 0; i < COUNTER_WORDS - 1; i++)
		own_add_single_writer(&to[i], own_load_relaxed(&from[i]));
	own_counters_raise(sum, &to[COUNTER_WORDS - 1], own_load_relaxed(&from[COUNTER_WORDS - 1]));
}

void own_counters_sum(const struct own_segment *segment, struct own_counters *sum)
{
	uint32_t used = own_load_relaxed(&segment->threads_used);

	for (size_t i = 0; i < COUNTER_WORDS; i++)
		own_store_relaxed(&words_of(sum)[i], 0);
	add_words(sum, &segment->shared);
	for (uint32_t i = 0; i < used && i < OWN_THREADS; i++)
		add_words(sum, &segment->threads[i].counters);
}

bool own_segment_is_quiet(const struct own_segment *segment)
{
	struct own_counters sum;
	uint64_t any = 0;

	own_counters_sum(segment, &sum);
	for (size_t i = 0; i < COUNTER_WORDS; i++)
		any |= own_load_relaxed(&words_of(&sum)[i]);
	return any == 0;
}

void own_segment_clear(struct own_segment *segment)
{
	uint32_t threads = own_load_relaxed(&segment->threads_used);
	uint32_t modules = own_load_relaxed(&segment->module_count);

	if (threads > 0)
		memset(segment->threads, 0,
		       (threads < OWN_THREADS ? threads : OWN_THREADS) *
			   sizeof(segment->threads[0]));
	if (modules > 0)
		memset(segment->modules, 0,
		       (modules < OWN_MODULES ? modules : OWN_MODULES) *
			   sizeof(segment->modules[0]));
	if (own_load_relaxed(&segment->records_used) > 0)
		memset(segment->records, 0, sizeof(segment->records));
	if (own_load_relaxed(&segment->names_used) > 0)
		memset(segment->names, 0, sizeof(segment->names));
	memset(segment, 0, offsetof(struct own_segment, records));
}

static void clear_words(struct own_counters *counters)
{
	for (size_t i = 0; i < COUNTER_WORDS; i++)
		own_store_relaxed(&words_of(counters)[i], 0);
}

void own_stats_reset(void)
{
	struct own_segment *segment = own_stats_segment();
	uint32_t used = own_load_relaxed(&segment->threads_used);

	clear_words(&segment->shared);
	for (uint32_t i = 0; i < used && i < OWN_THREADS; i++)
		clear_words(&segment->threads[i].counters);
	/* Keys and names stay: a thread may be adding to a record right now. */
	for (size_t i = 0; i < OWN_RECORDS; i++) {
		struct own_lock_record *record = &segment->records[i];

		if (own_load_relaxed(&record->object) == 0)
			continue;
		own_store_relaxed(&record->queued, 0);
		own_store_relaxed(&record->time_ns, 0);
		own_store_relaxed(&record->longest_ns, 0);
		for (size_t outcome = 0; outcome < OWN_WAIT_OUTCOMES; outcome++)
			own_store_relaxed(&record->outcomes[outcome], 0);
		own_store_relaxed(&record->spun, 0);
	}
	own_store_relaxed(&segment->records_overflow, 0);
	own_store_relaxed(&segment->threads_overflow, 0);
}
