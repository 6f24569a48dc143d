/* From the maps to a result: sums over CPUs, rows sorted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "trace.h"

__u64 own_trace_waits(const __u64 *count)
{
	__u64 sum = 0;

	for (int class = 0; class < OWN_TRACE_WAIT_CLASSES; class ++)
		sum += count[class];
	return sum;
}

__u64 own_trace_wakes(const __u64 *count)
{
	return count[OWN_TRACE_WAKE] + count[OWN_TRACE_WAKE_EMPTY] + count[OWN_TRACE_WAKE_FAILED];
}

/* Both structures are nothing but 64-bit counters. */
static void add_counters(void *sum, const void *value, size_t size)
{
	__u64 *to = sum;
	const __u64 *from = value;

	for (size_t i = 0; i < size / sizeof(__u64); i++)
		to[i] += from[i];
}

static int collect_totals(int map, int cpus, struct own_trace_totals *totals)
{
	struct own_trace_totals *values = calloc((size_t)cpus, sizeof(*values));
	__u32 zero = 0;
	int error = 0;

	if (!values)
		return ENOMEM;
	if (bpf_map_lookup_elem(map, &zero, values) != 0)
		error = errno;
	for (int cpu = 0; !error && cpu < cpus; cpu++)
		add_counters(totals, &values[cpu], sizeof(*values));
	free(values);
	return error;
}

/* A growing array of rows of one size. */
struct array {
	char *rows;
	size_t size;
	size_t count;
	size_t room;
};

static void *append(struct array *array)
{
	if (array->count == array->room) {
		size_t room = array->room ? 2 * array->room : 64;
		char *rows = realloc(array->rows, room * array->size);

		if (!rows)
			return NULL;
		array->rows = rows;
		array->room = room;
	}
	memset(array->rows + array->count * array->size, 0, array->size);
	return array->rows + array->count++ * array->size;
}

/*
 * Reads a whole map. `take` gets key and value of each entry. Entries that appear or go meanwhile
 * may be seen or not; at the end of a session nothing changes any more.
 */
typedef int taker(void *context, const void *key, const void *value);

static int walk(int map, void *value, taker *take, void *context)
{
	char keys[2][sizeof(struct own_trace_site_key)];
	const void *previous = NULL;
	int which = 0;

	while (bpf_map_get_next_key(map, previous, keys[which]) == 0) {
		if (bpf_map_lookup_elem(map, keys[which], value) == 0) {
			int error = take(context, keys[which], value);

			if (error)
				return error;
		}
		previous = keys[which];
		which = !which;
	}
	return errno == ENOENT ? 0 : errno;
}

static int take_word(void *context, const void *key, const void *value)
{
	struct own_trace_word *word = append(context);

	if (!word)
		return ENOMEM;
	memcpy(&word->key, key, sizeof(word->key));
	memcpy(&word->row, value, sizeof(word->row));
	return 0;
}

static int take_site(void *context, const void *key, const void *value)
{
	struct own_trace_site *site = append(context);

	if (!site)
		return ENOMEM;
	memcpy(&site->key, key, sizeof(site->key));
	memcpy(&site->row, value, sizeof(site->row));
	return 0;
}

struct names {
	struct array array;
	int cpus;
};

static int take_name(void *context, const void *key, const void *value)
{
	struct names *names = context;
	const struct own_trace_row *rows = value;
	struct own_trace_name *name = append(&names->array);

	if (!name)
		return ENOMEM;
	memcpy(&name->key, key, sizeof(name->key));
	for (int cpu = 0; cpu < names->cpus; cpu++)
		add_counters(&name->row, &rows[cpu], sizeof(rows[cpu]));
	return 0;
}

struct progress {
	struct array *words;
	size_t sorted;
	struct array *names;
	unsigned by;
};

static int compare_word_keys(const void *a, const void *b)
{
	const struct own_trace_word *left = a, *right = b;

	if (left->key.address != right->key.address)
		return left->key.address < right->key.address ? -1 : 1;
	return (left->key.tgid > right->key.tgid) - (left->key.tgid < right->key.tgid);
}

/* The first `sorted` rows come from the map; words on which nobody has returned yet follow. */
static struct own_trace_word *word_of(struct array *words, size_t sorted,
				      const struct own_trace_thread *thread)
{
	struct own_trace_word *all = (struct own_trace_word *)(void *)words->rows;
	struct own_trace_word wanted = {.key = {.address = thread->word, .tgid = thread->tgid}};
	struct own_trace_word *word = NULL;

	if (sorted)
		word = bsearch(&wanted, all, sorted, sizeof(*all), compare_word_keys);
	for (size_t i = sorted; !word && i < words->count; i++)
		if (compare_word_keys(&wanted, &all[i]) == 0)
			word = &all[i];
	if (word)
		return word;
	word = append(words);
	if (word)
		word->key = wanted.key;
	return word;
}

static void read_name(__u32 tid, struct own_trace_name_key *key)
{
	char path[64];
	FILE *file;

	memset(key, 0, sizeof(*key));
	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(key->name, sizeof(key->name), file))
		key->name[strcspn(key->name, "\n")] = '\0';
	fclose(file);
}

static struct own_trace_name *name_of(struct array *names, __u32 tid)
{
	struct own_trace_name *name = (struct own_trace_name *)(void *)names->rows;
	struct own_trace_name_key key;

	read_name(tid, &key);
	for (size_t i = 0; i < names->count; i++, name++)
		if (memcmp(&name->key, &key, sizeof(key)) == 0)
			return name;
	name = append(names);
	if (name)
		name->key = key;
	return name;
}

static int take_thread(void *context, const void *key, const void *value)
{
	struct progress *progress = context;
	const struct own_trace_thread *thread = value;
	__u32 tid;

	if (!thread->start_ns || thread->operation > OWN_TRACE_LAST_WAIT_OP)
		return 0;
	memcpy(&tid, key, sizeof(tid));
	if (progress->by & OWN_TRACE_BY_WORD) {
		struct own_trace_word *word = word_of(progress->words, progress->sorted, thread);

		if (!word)
			return ENOMEM;
		word->in_progress++;
	}
	if (progress->by & OWN_TRACE_BY_THREAD) {
		struct own_trace_name *name = name_of(progress->names, tid);

		if (!name)
			return ENOMEM;
		name->in_progress++;
	}
	return 0;
}

/* Most waits first; then most wakes. */
static int compare_rows(const struct own_trace_row *a, const struct own_trace_row *b)
{
	__u64 left = own_trace_waits(a->count), right = own_trace_waits(b->count);

	if (left == right) {
		left = own_trace_wakes(a->count);
		right = own_trace_wakes(b->count);
	}
	return (left < right) - (left > right);
}

static int compare_words(const void *a, const void *b)
{
	const struct own_trace_word *left = a, *right = b;
	int order = compare_rows(&left->row, &right->row);

	return order ? order
		     : (left->key.address > right->key.address) -
			   (left->key.address < right->key.address);
}

static int compare_names(const void *a, const void *b)
{
	const struct own_trace_name *left = a, *right = b;
	int order = compare_rows(&left->row, &right->row);

	return order ? order : memcmp(&left->key, &right->key, sizeof(left->key));
}

int own_trace_compare_sites(const void *a, const void *b)
{
	const struct own_trace_site *left = a, *right = b;
	int order = compare_rows(&left->row, &right->row);

	return order ? order : memcmp(&left->key, &right->key, sizeof(left->key));
}

static void sort(struct array *array, int (*compare)(const void *, const void *))
{
	if (array->count)
		qsort(array->rows, array->count, array->size, compare);
}

static int collect_tables(const struct own_trace_maps *maps, int cpus, struct array *words,
			  struct names *names, struct array *sites)
{
	struct own_trace_row *rows = calloc((size_t)cpus, sizeof(*rows));
	int error = rows ? 0 : ENOMEM;

	if (!error && maps->by & OWN_TRACE_BY_WORD)
		error = walk(maps->words, rows, take_word, words);
	if (!error && maps->by & OWN_TRACE_BY_SITE)
		error = walk(maps->sites, rows, take_site, sites);
	if (!error && maps->by & OWN_TRACE_BY_THREAD)
		error = walk(maps->names, rows, take_name, names);
	free(rows);
	return error;
}

int own_trace_collect(const struct own_trace_session *session, struct own_trace_result *result)
{
	struct own_trace_maps maps = own_trace_maps(session);
	int cpus = libbpf_num_possible_cpus();
	struct array words = {.size = sizeof(struct own_trace_word)};
	struct array sites = {.size = sizeof(struct own_trace_site)};
	struct names names = {.array.size = sizeof(struct own_trace_name), .cpus = cpus};
	struct progress progress = {.words = &words, .names = &names.array, .by = maps.by};
	struct own_trace_thread thread;
	__u64 ended = 0;
	int error;

	if (cpus < 1)
		return EINVAL;
	error = collect_totals(maps.totals, cpus, &result->totals);
	if (!error)
		error = collect_tables(&maps, cpus, &words, &names, &sites);
	sort(&words, compare_word_keys);
	progress.sorted = words.count;
	if (!error)
		error = walk(maps.threads, &thread, take_thread, &progress);
	sort(&words, compare_words);
	sort(&names.array, compare_names);
	sort(&sites, own_trace_compare_sites);
	result->words = (struct own_trace_word *)(void *)words.rows;
	result->word_count = words.count;
	result->names = (struct own_trace_name *)(void *)names.array.rows;
	result->name_count = names.array.count;
	result->sites = (struct own_trace_site *)(void *)sites.rows;
	result->site_count = sites.count;
	for (int class = 0; class < OWN_TRACE_WAIT_CLASSES; class ++)
		ended += result->totals.classes[class].count;
	/* While calls go on, a sum over CPUs may see an end without its beginning. */
	if (result->totals.waits_started > ended)
		result->waits_in_progress = result->totals.waits_started - ended;
	/* With -a, a call of a thread without room looks on its return as if it began before. */
	if (result->totals.began_before >= result->totals.calls_lost)
		result->totals.began_before -= result->totals.calls_lost;
	result->missed_events = own_trace_missed_events(session);
	return error;
}

void own_trace_result_free(struct own_trace_result *result)
{
	free(result->words);
	free(result->names);
	free(result->sites);
	memset(result, 0, sizeof(*result));
}
