/*
 * Stacks that were found by frame pointers may run into something that is no code, where a function
 * has used the register otherwise: such tails are cut, and rows that are then the same are merged.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

/* The innermost frame always stays: it is where the system call was made. */
static void cut(struct own_trace_site_key *key, struct own_trace_symbols *symbols)
{
	int frame = 1;
	const char *path;
	__u64 address;

	while (frame < OWN_TRACE_FRAMES && key->frames[frame] &&
	       own_trace_symbols_locate(symbols, key->tgid, key->frames[frame], &path, &address))
		frame++;
	for (; frame < OWN_TRACE_FRAMES; frame++)
		key->frames[frame] = 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct own_trace_site *left = a, *right = b;

	return memcmp(&left->key, &right->key, sizeof(left->key));
}

static void add_row(struct own_trace_row *sum, const struct own_trace_row *row)
{
	for (int class = 0; class < OWN_TRACE_CLASSES; class ++) {
		sum->count[class] += row->count[class];
		sum->time_ns[class] += row->time_ns[class];
	}
	sum->threads_woken += row->threads_woken;
}

void own_trace_merge_sites(struct own_trace_result *result, struct own_trace_symbols *symbols)
{
	struct own_trace_site *sites = result->sites;
	size_t kept = 0;

	if (!result->site_count)
		return;
	for (size_t i = 0; i < result->site_count; i++)
		cut(&sites[i].key, symbols);
	qsort(sites, result->site_count, sizeof(*sites), compare_keys);
	for (size_t i = 1; i < result->site_count; i++) {
		if (compare_keys(&sites[kept], &sites[i]) == 0)
			add_row(&sites[kept].row, &sites[i].row);
		else
			sites[++kept] = sites[i];
	}
	result->site_count = kept + 1;
	qsort(sites, result->site_count, sizeof(*sites), own_trace_compare_sites);
}
