/*
 * Open addressing over a fixed table. A record is taken in two steps, since its key has two words:
 *
 *	object: 0 -> address	by CAS; the record now belongs to that object
 *	site:	0 -> site	by CAS; whoever wins this names the site
 *
 * A thread that meets its own object with the site still open takes part in the second step. So
 * nobody waits for a thread that was preempted between the two, and no key is ever there twice.
 * Records are never given back.
 */
#include "stats/records.h"

#include "stats/counters.h"
#include "stats/modules.h"

#include <string.h>

#define PROBES 32 /* longest search; a key that finds none is counted as overflow */

static uint32_t hash(uint64_t object, uint64_t site)
{
	uint64_t mixed = (object >> 3) * UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 29) ^ site) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(mixed >> 40);
}

static bool take(struct own_segment *segment, struct own_lock_record *record, uint64_t object,
		 uint64_t site, enum own_object_kind kind)
{
	uint64_t seen = own_load_relaxed(&record->object);

	if (seen == 0) {
		if (own_cas_relaxed(&record->object, &seen, object))
			seen = object;
	}
	if (seen != object)
		return false;
	seen = own_load_relaxed(&record->site);
	if (seen == site)
		return true;
	if (seen != OWN_SITE_TAKING || !own_cas_relaxed(&record->site, &seen, site))
		return seen == site;
	own_store_relaxed(&record->kind, (uint32_t)kind);
	own_fetch_add_relaxed(&segment->records_used, 1);
	if (site > OWN_SITE_NAME && !own_module_is_known(segment, site))
		own_store_relaxed(&segment->modules_stale, 1);
	return true;
}

struct own_lock_record *own_record_find_in(struct own_segment *segment, uint64_t object,
					   uint64_t site, enum own_object_kind kind)
{
	uint32_t start = hash(object, site);

	if (object == 0)
		return NULL;
	for (uint32_t i = 0; i < PROBES; i++) {
		struct own_lock_record *record = &segment->records[(start + i) % OWN_RECORDS];

		if (take(segment, record, object, site, kind))
			return record;
	}
	own_fetch_add_relaxed(&segment->records_overflow, 1);
	return NULL;
}

struct own_lock_record *own_record_find(const void *object, const void *site,
					enum own_object_kind kind)
{
	uint64_t address = (uint64_t)(uintptr_t)site;

	if (address <= OWN_SITE_NAME)
		address = OWN_SITE_UNKNOWN;
	return own_record_find_in(own_stats_segment(), (uint64_t)(uintptr_t)object, address, kind);
}

/* Offset 0 means "no name", so the first byte of `names` is left empty. */
static uint64_t store_name(struct own_segment *segment, const char *name)
{
	size_t size = strlen(name) + 1;
	uint32_t used = own_load_relaxed(&segment->names_used);
	uint32_t at;

	do {
		at = used == 0 ? 1 : used;
		if (size > OWN_NAMES_BYTES - 1 - at)
			return 0;
	} while (!own_cas_relaxed(&segment->names_used, &used, at + (uint32_t)size));
	while (size-- > 0) {
		atomic_thread_fence(memory_order_release);
		*(volatile char *)&segment->names[at + size] = name[size];
	}
	return at;
}

/*
 * Where a text stands already: names that are given again and again, as by a loop over init and
 * destroy, take no room. Texts are written from their last byte to their first (store_name), so
 * whatever can be read from some place on is the text's end for good.
 */
static uint64_t find_text(const struct own_segment *segment, const char *name)
{
	uint32_t used = own_load_relaxed(&segment->names_used);

	for (uint32_t at = 1; at < used && at < OWN_NAMES_BYTES; at++) {
		if (*(const volatile char *)&segment->names[at] != name[0])
			continue;
		atomic_thread_fence(memory_order_acquire); /* pairs with the one in store_name */
		if (strcmp(segment->names + at, name) == 0)
			return at;
	}
	return 0;
}

static bool set_name(struct own_segment *segment, uint64_t object, const char *name)
{
	struct own_lock_record *record =
	    own_record_find_in(segment, object, OWN_SITE_NAME, OWN_OBJECT_MUTEX);
	uint64_t at;

	if (record == NULL)
		return false;
	at = find_text(segment, name);
	if (at == 0)
		at = store_name(segment, name);
	if (at == 0)
		return false;
	/* Release: a reader in another process finds the text behind the offset. */
	own_store_release(&record->name, at);
	own_store_relaxed(&record->name_withdrawn, 0);
	return true;
}

static struct own_lock_record *name_record(struct own_segment *segment, uint64_t object)
{
	uint32_t start = hash(object, OWN_SITE_NAME);

	if (own_load_relaxed(&segment->names_used) == 0)
		return NULL;
	for (uint32_t i = 0; i < PROBES; i++) {
		struct own_lock_record *record = &segment->records[(start + i) % OWN_RECORDS];

		if (own_load_relaxed(&record->object) == 0)
			return NULL; /* records are never given back: it cannot stand behind */
		if (own_load_relaxed(&record->object) == object &&
		    own_load_relaxed(&record->site) == OWN_SITE_NAME)
			return record;
	}
	return NULL;
}

void own_record_clear_name(const void *object)
{
	struct own_lock_record *record =
	    name_record(own_stats_segment(), (uint64_t)(uintptr_t)object);

	/* The text stays for find_text. */
	if (record != NULL)
		own_store_relaxed(&record->name_withdrawn, 1);
}

bool own_record_set_name(const void *object, const char *name)
{
	if (*name == '\0') {
		own_record_clear_name(object);
		return true;
	}
	return set_name(own_stats_segment(), (uint64_t)(uintptr_t)object, name);
}

static const char *name_at(const struct own_segment *segment, uint64_t at)
{
	/* A reader of another process's memory believes nothing: the text has to end in bounds. */
	if (at == 0 || at >= OWN_NAMES_BYTES ||
	    memchr(segment->names + at, '\0', OWN_NAMES_BYTES - at) == NULL)
		return NULL;
	return segment->names + at;
}

const char *own_record_name(const struct own_segment *segment, uint64_t object)
{
	const struct own_lock_record *record =
	    name_record((struct own_segment *)(uintptr_t)segment, object);

	if (record == NULL || own_load_relaxed(&record->name_withdrawn) != 0)
		return NULL;
	return name_at(segment, own_load_acquire(&record->name));
}

void own_records_copy_names(struct own_segment *to, const struct own_segment *from)
{
	if (own_load_relaxed(&from->names_used) == 0)
		return;
	for (size_t i = 0; i < OWN_RECORDS; i++) {
		const struct own_lock_record *record = &from->records[i];
		const char *name = name_at(from, own_load_relaxed(&record->name));

		if (name != NULL && own_load_relaxed(&record->name_withdrawn) == 0)
			set_name(to, own_load_relaxed(&record->object), name);
	}
}
