#include "stats/locks.h"

#include <string.h>
#include <sys/mman.h>

static void add_record(struct own_record_sums *sums, const struct own_lock_record *record)
{
	uint64_t longest = own_load_relaxed(&record->longest_ns);

	sums->queued += own_load_relaxed(&record->queued);
	sums->time_ns += own_load_relaxed(&record->time_ns);
	if (longest > sums->longest_ns)
		sums->longest_ns = longest;
	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++)
		sums->outcomes[i] += own_load_relaxed(&record->outcomes[i]);
	sums->spun += own_load_relaxed(&record->spun);
}

/*
 * Whether a record counts anything: not a free one, one being taken, the holder of a name, or one
 * that has been reset.
 */
static bool counts(const struct own_lock_record *record)
{
	uint64_t site = own_load_relaxed(&record->site);

	return own_load_relaxed(&record->object) != 0 && site != OWN_SITE_TAKING &&
	       site != OWN_SITE_NAME &&
	       (own_load_relaxed(&record->queued) != 0 || own_load_relaxed(&record->time_ns) != 0);
}

static struct own_lock *lock_of(struct own_lock_list *list, size_t first,
				const struct own_segment *segment, uint64_t object)
{
	struct own_lock *lock;

	for (size_t i = first; i < list->count; i++) {
		if (list->locks[i].object == object)
			return &list->locks[i];
	}
	lock = &list->locks[list->count++];
	lock->segment = segment;
	lock->object = object;
	return lock;
}

static void gather_segment(struct own_lock_list *list, const struct own_segment *segment)
{
	size_t first = list->count;

	if (own_load_relaxed(&segment->records_used) == 0)
		return;
	for (size_t i = 0; i < OWN_RECORDS; i++) {
		const struct own_lock_record *record = &segment->records[i];
		struct own_lock *lock;

		if (!counts(record))
			continue;
		lock = lock_of(list, first, segment, own_load_relaxed(&record->object));
		lock->kind = own_load_relaxed(&record->kind);
		add_record(&lock->sums, record);
		list->time_ns += own_load_relaxed(&record->time_ns);
	}
}

static bool longer(const struct own_record_sums *a, const struct own_record_sums *b)
{
	return a->time_ns != b->time_ns ? a->time_ns > b->time_ns : a->queued > b->queued;
}

static void rank(struct own_lock_list *list, size_t ranked)
{
	for (size_t place = 0; place < ranked && place < list->count; place++) {
		size_t best = place;
		struct own_lock swap;

		for (size_t i = place + 1; i < list->count; i++) {
			if (longer(&list->locks[i].sums, &list->locks[best].sums))
				best = i;
		}
		swap = list->locks[place];
		list->locks[place] = list->locks[best];
		list->locks[best] = swap;
	}
}

void own_locks_gather(struct own_lock_list *list, const struct own_segment *const *segments,
		      size_t count, size_t ranked)
{
	memset(list, 0, sizeof(*list));
	list->bytes = count * OWN_RECORDS * sizeof(struct own_lock);
	if (list->bytes == 0)
		return;
	list->locks =
	    mmap(NULL, list->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (list->locks == MAP_FAILED) {
		list->locks = NULL;
		return;
	}
	for (size_t i = 0; i < count; i++)
		gather_segment(list, segments[i]);
	rank(list, ranked);
}

void own_locks_release(struct own_lock_list *list)
{
	if (list->locks != NULL)
		munmap(list->locks, list->bytes);
	memset(list, 0, sizeof(*list));
}

void own_lock_sums(const struct own_segment *segment, uint64_t object, struct own_record_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	if (own_load_relaxed(&segment->records_used) == 0)
		return;
	for (size_t i = 0; i < OWN_RECORDS; i++) {
		const struct own_lock_record *record = &segment->records[i];

		if (own_load_relaxed(&record->object) == object && counts(record))
			add_record(sums, record);
	}
}

/* A total order: by time, then by address. */
static bool site_before(const struct own_lock_site *a, const struct own_lock_site *b)
{
	return a->sums.time_ns != b->sums.time_ns ? a->sums.time_ns > b->sums.time_ns
						  : a->address < b->address;
}

bool own_lock_next_site(const struct own_lock *lock, const struct own_lock_site *previous,
			struct own_lock_site *next)
{
	struct own_lock_site best;
	bool found = false;

	for (size_t i = 0; i < OWN_RECORDS; i++) {
		const struct own_lock_record *record = &lock->segment->records[i];
		struct own_lock_site site;

		if (own_load_relaxed(&record->object) != lock->object || !counts(record))
			continue;
		memset(&site, 0, sizeof(site));
		site.address = own_load_relaxed(&record->site);
		add_record(&site.sums, record);
		if (previous != NULL && !site_before(previous, &site))
			continue;
		if (!found || site_before(&site, &best)) {
			best = site;
			found = true;
		}
	}
	if (found)
		*next = best;
	return found;
}
