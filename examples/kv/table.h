/* A hash table from short keys to values; each stripe of it has a lock. */
#ifndef KV_TABLE_H
#define KV_TABLE_H

#include <stddef.h>

#define KV_KEY_SIZE   64 /* with the final zero */
#define KV_VALUE_SIZE 256

void table_init(void);

/* Returns 0, or -1 when there is no memory. */
int table_set(const char *key, const char *value);

/* Copies the value into `value` of KV_VALUE_SIZE bytes. Returns 0, or -1 when there is none. */
int table_get(const char *key, char *value);

/* Number of keys. */
size_t table_count(void);

#endif
