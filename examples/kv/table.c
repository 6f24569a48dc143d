#include "table.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "locks.h"

#define STRIPES 4 /* few, so that there is something to see */
#define CHAINS	256

struct entry {
	struct entry *next;
	char *value;
	char key[];
};

struct stripe {
	kv_mutex mutex;
	size_t count;
	struct entry *chains[CHAINS];
};

static struct stripe stripes[STRIPES];

void table_init(void)
{
	for (int i = 0; i < STRIPES; i++) {
		char name[24];

		kv_mutex_init(&stripes[i].mutex);
		snprintf(name, sizeof(name), "stripe %d", i);
		kv_mutex_name(&stripes[i].mutex, name);
	}
}

static uint32_t hash(const char *key)
{
	uint32_t value = 2166136261u;

	while (*key)
		value = (value ^ (unsigned char)*key++) * 16777619u;
	return value;
}

static struct entry *find(struct stripe *stripe, uint32_t chain, const char *key)
{
	struct entry *entry = stripe->chains[chain];

	while (entry && strcmp(entry->key, key) != 0)
		entry = entry->next;
	return entry;
}

static struct entry *insert(struct stripe *stripe, uint32_t chain, const char *key)
{
	size_t size = strlen(key) + 1;
	struct entry *entry = malloc(sizeof(*entry) + size);

	if (!entry)
		return NULL;
	memcpy(entry->key, key, size);
	entry->value = NULL;
	entry->next = stripe->chains[chain];
	stripe->chains[chain] = entry;
	stripe->count++;
	return entry;
}

int table_set(const char *key, const char *value)
{
	uint32_t number = hash(key);
	struct stripe *stripe = &stripes[number % STRIPES];
	uint32_t chain = number / STRIPES % CHAINS;
	char *copy = strdup(value);
	struct entry *entry;

	if (!copy)
		return -1;
	kv_lock(&stripe->mutex);
	entry = find(stripe, chain, key);
	if (!entry)
		entry = insert(stripe, chain, key);
	if (entry) {
		char *old = entry->value;

		entry->value = copy;
		copy = old;
	}
	kv_unlock(&stripe->mutex);
	free(copy);
	return entry ? 0 : -1;
}

int table_get(const char *key, char *value)
{
	uint32_t number = hash(key);
	struct stripe *stripe = &stripes[number % STRIPES];
	struct entry *entry;

	kv_lock(&stripe->mutex);
	entry = find(stripe, number / STRIPES % CHAINS, key);
	if (entry)
		memcpy(value, entry->value, strlen(entry->value) + 1);
	kv_unlock(&stripe->mutex);
	return entry ? 0 : -1;
}

size_t table_count(void)
{
	size_t count = 0;

	for (int i = 0; i < STRIPES; i++) {
		kv_lock(&stripes[i].mutex);
		count += stripes[i].count;
		kv_unlock(&stripes[i].mutex);
	}
	return count;
}
