#include "posix/shared_cond.h"

#include <string.h>

#include "base/panic.h"
#include "core/mutex.h"

#define ENTRIES 64
/* No generation: those are multiples of 256. */
#define GENERATION_CHANGING 1u

struct entry {
	struct own_cond cond; /* first: a local variable's address is its entry's */
	const pthread_cond_t *shared;
	uint32_t users;
};

static struct entry entries[ENTRIES];
static _Atomic uint32_t entries_used;
static struct own_mutex table_lock;
static _Atomic uint32_t table_generation;

static void lock_table(void)
{
	uint32_t generation = own_load_acquire(&table_generation);

	/* In a fork child the entries' users, and perhaps the lock's owner, do not exist. */
	while (generation != own_generation_now()) {
		if (generation == GENERATION_CHANGING) {
			own_sleep_ns(50000);
			generation = own_load_acquire(&table_generation);
		} else if (own_cas_acq_rel(&table_generation, &generation, GENERATION_CHANGING)) {
			memset(entries, 0, sizeof(entries));
			memset(&table_lock, 0, sizeof(table_lock));
			own_store_relaxed(&entries_used, 0);
			generation = own_generation_now();
			own_store_release(&table_generation, generation);
		}
	}
	if (own_mutex_try_fast(&table_lock, false))
		return;
	if (own_mutex_lock_slow(&table_lock, NULL, OWN_CALLER()) != 0)
		own_panic("a lock without a deadline timed out", &table_lock);
}

static void unlock_table(void)
{
	if (!own_mutex_unlock_fast(&table_lock, false))
		own_mutex_unlock_slow(&table_lock);
}

static struct entry *find(const pthread_cond_t *shared)
{
	struct entry *found = NULL;

	for (size_t i = 0; i < ENTRIES; i++) {
		if (entries[i].users > 0 && entries[i].shared == shared)
			return &entries[i];
		if (entries[i].users == 0 && !found)
			found = &entries[i];
	}
	return found;
}

struct own_cond *own_shared_cond_enter(pthread_cond_t *shared)
{
	struct entry *entry;

	lock_table();
	entry = find(shared);
	if (entry) {
		entry->shared = shared;
		if (entry->users++ == 0)
			own_fetch_add_relaxed(&entries_used, 1);
	}
	unlock_table();
	return entry ? &entry->cond : NULL;
}

void own_shared_cond_leave(struct own_cond *local)
{
	struct entry *entry = (struct entry *)(void *)local;

	lock_table();
	if (entry->users > 0 && --entry->users == 0) {
		entry->shared = NULL;
		own_fetch_add_relaxed(&entries_used, UINT32_MAX); /* minus one */
	}
	unlock_table();
}

void own_shared_cond_wake(pthread_cond_t *shared, void (*wake)(struct own_cond *local))
{
	struct entry *entry;

	/* relaxed: the mutex of the wait orders a waiter that must be seen, as in cond.c */
	if (own_load_relaxed(&entries_used) == 0)
		return;
	lock_table();
	entry = find(shared);
	if (entry && entry->users > 0)
		wake(&entry->cond);
	unlock_table();
}
