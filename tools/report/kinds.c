/* What each kind of document holds: from JSON to measures. */
#include "tools/report/kinds.h"

#include "tools/statistics.h"

#include <string.h>

#define MOST_VALUES 4096 /* runs of one measure in one document */

/* A field: its path in the document, and what it is called. */
struct field {
	const char *path; /* names with dots between */
	const char *name;
	const char *unit;
	double scale;
	bool optional; /* came later */
};

static const struct field run_fields[] = {
    {"totals.waits.count", "futex waits", "", 1, false},
    {"totals.waits.woken.count", "woken waits", "", 1, false},
    {"totals.waits.mismatch.count", "mismatched waits", "", 1, false},
    {"totals.waits.timeout.count", "timed-out waits", "", 1, false},
    {"totals.waits.interrupted.count", "interrupted waits", "", 1, false},
    {"totals.waits.time_ns", "time in waits", "s", 1e-9, false},
    {"totals.waits.mismatch.time_ns", "time in mismatched waits", "s", 1e-9, false},
    {"totals.wakes.issued", "futex wakes", "", 1, false},
    {"totals.wakes.empty", "wakes of nobody", "", 1, false},
    {"totals.wakes.saved", "wakes saved", "", 1, false},
    {"totals.mutexes.contended", "contended lock calls", "", 1, false},
    {"totals.mutexes.spin_acquired", "acquired by spinning", "", 1, false},
    {"totals.mutexes.queued", "queued", "", 1, false},
    {"totals.mutexes.handoffs", "hand-offs", "", 1, false},
    {"totals.mutexes.longest_wait_ns", "longest wait for a mutex", "s", 1e-9, false},
    {"totals.conditions.waits", "condition waits", "", 1, false},
    {"totals.conditions.requeues", "requeues", "", 1, false},
    {"totals.buckets.known", "waits whose bucket is known", "", 1, true},
    {"totals.buckets.shared", "waits that shared a bucket", "", 1, true},
};

static const struct field trace_fields[] = {
    {"seconds", "traced for", "s", 1, false},
    {"waits.started", "futex waits", "", 1, false},
    {"waits.outcomes.woken.count", "woken waits", "", 1, false},
    {"waits.outcomes.mismatch.count", "mismatched waits", "", 1, false},
    {"waits.outcomes.timeout.count", "timed-out waits", "", 1, false},
    {"waits.outcomes.interrupted.count", "interrupted waits", "", 1, false},
    {"waits.outcomes.mismatch.time_ns", "time in mismatched waits", "s", 1e-9, false},
    {"wakes.calls", "futex wakes", "", 1, false},
    {"wakes.threads_woken", "threads woken", "", 1, false},
    {"wakes.outcomes.woke_nobody.count", "wakes of nobody", "", 1, false},
};

/* NULL: there is no number. */
static const json_t *number_at(const json_t *root, const char *path)
{
	char name[64];

	while (root != NULL) {
		size_t length = strcspn(path, ".");

		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		root = json_object_get(root, name);
		if (path[length] == '\0')
			break;
		path += length + 1;
	}
	return json_is_number(root) ? root : NULL;
}

static bool no_memory(struct own_reader *reader)
{
	return own_fault(reader, "out of memory; end other programs");
}

static bool no_field(struct own_reader *reader, const char *path)
{
	return own_fault(reader,
			 "it has no number \"%s\", so it is no whole report of %s; make it again",
			 path, own_document_kind_name(reader->document->kind));
}

static bool take_fields(struct own_reader *reader, const json_t *root, const struct field *fields,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *number = number_at(root, fields[i].path);

		if (number == NULL && fields[i].optional)
			continue;
		if (number == NULL)
			return no_field(reader, fields[i].path);
		if (!own_document_add(reader->document, fields[i].name, fields[i].unit, "",
				      json_number_value(number) * fields[i].scale))
			return no_memory(reader);
	}
	return true;
}

static bool add_share(struct own_reader *reader, double part, double whole)
{
	return own_document_add(reader->document, "mismatched share", "%", "",
				whole > 0 ? 100 * part / whole : 0) ||
	       no_memory(reader);
}

/* Words of an array with blanks between, as far as there is room. */
static void put_words(char *text, size_t size, const json_t *words)
{
	size_t used = strlen(text);

	for (size_t i = 0; i < json_array_size(words) && used < size; i++) {
		const char *word = json_string_value(json_array_get(words, i));

		used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
					 word != NULL ? word : "?");
	}
}

static const char *string_or(const json_t *root, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(root, name));

	return text != NULL ? text : otherwise;
}

bool own_take_run(struct own_reader *reader, const json_t *root)
{
	const json_t *first = json_array_get(json_object_get(root, "processes"), 0);

	snprintf(reader->document->about, sizeof(reader->document->about), "%s",
		 string_or(first, "command", ""));
	return take_fields(reader, root, run_fields, own_array_size(run_fields)) &&
	       add_share(reader, json_number_value(number_at(root, "totals.waits.mismatch.count")),
			 json_number_value(number_at(root, "totals.waits.count")));
}

/* The bucket lock is measured where the kernel allows it. */
static bool add_lock(struct own_reader *reader, const json_t *root)
{
	const json_t *lock = json_object_get(root, "bucket_lock");
	const json_t *outcomes = json_object_get(lock, "outcomes");
	double time_ns = 0;
	const char *name;
	json_t *outcome;

	if (outcomes == NULL)
		return true;
	json_object_foreach((json_t *)outcomes, name, outcome) time_ns +=
	    json_number_value(json_object_get(outcome, "time_ns"));
	return own_document_add(reader->document, "time waiting for bucket locks", "s",
				string_or(lock, "measured", ""), time_ns * 1e-9) ||
	       no_memory(reader);
}

bool own_take_trace(struct own_reader *reader, const json_t *root)
{
	static const char *const outcomes[] = {
	    "waits.outcomes.woken.count",   "waits.outcomes.mismatch.count",
	    "waits.outcomes.timeout.count", "waits.outcomes.interrupted.count",
	    "waits.outcomes.other.count",
	};
	const json_t *target = json_object_get(root, "target");
	double ended = 0;

	put_words(reader->document->about, sizeof(reader->document->about),
		  json_object_get(target, "command"));
	if (reader->document->about[0] == '\0')
		snprintf(reader->document->about, sizeof(reader->document->about), "%s",
			 string_or(target, "kind", ""));
	if (!take_fields(reader, root, trace_fields, own_array_size(trace_fields)))
		return false;
	for (size_t i = 0; i < own_array_size(outcomes); i++)
		ended += json_number_value(number_at(root, outcomes[i]));
	return add_share(reader, json_number_value(number_at(root, outcomes[1])), ended) &&
	       add_lock(reader, root);
}

struct figure {
	const char *field;
	const char *title;
	const char *unit;
	const char *runs; /* the array that holds it */
};

static const struct figure figures[] = {
#define OWN_TIMED(name, title, unit, value)   {#name, title, unit, "timed_runs"},
#define OWN_COUNTED(name, title, unit, value) {#name, title, unit, "traced_runs"},
#define OWN_OF_OWNLINE			      OWN_COUNTED
#include "tools/compare/figures.def"
#undef OWN_TIMED
#undef OWN_COUNTED
#undef OWN_OF_OWNLINE
};

/* The median over a variant's runs, from the raw figures. Runs without the figure have none. */
static bool take_figure(struct own_reader *reader, const json_t *variant,
			const struct figure *figure, double *values)
{
	const json_t *runs = json_object_get(variant, figure->runs);
	const char *name = string_or(variant, "name", NULL);
	size_t count = 0;

	if (name == NULL || !json_is_array(runs))
		return own_fault(reader,
				 "a variant lacks its name or \"%s\", so it is no whole "
				 "report of ownline compare; make it again",
				 figure->runs);
	for (size_t i = 0; i < json_array_size(runs) && count < MOST_VALUES; i++) {
		const json_t *value = json_object_get(json_array_get(runs, i), figure->field);

		if (json_is_number(value))
			values[count++] = json_number_value(value);
	}
	if (count == 0)
		return true;
	return own_document_add(reader->document, figure->title, figure->unit, name,
				own_spread_of(values, count).median) ||
	       no_memory(reader);
}

static void describe_machine(struct own_reader *reader, const json_t *root)
{
	snprintf(reader->document->about, sizeof(reader->document->about), "%.100s, Linux %.100s",
		 string_or(root, "host", "?"), string_or(root, "kernel", "?"));
}

bool own_take_compare(struct own_reader *reader, const json_t *root)
{
	const json_t *variants = json_object_get(root, "variants");
	size_t used;
	static double values[MOST_VALUES];

	describe_machine(reader, root);
	used = strlen(reader->document->about);
	snprintf(reader->document->about + used, sizeof(reader->document->about) - used,
		 ", %lld CPUs: ", json_integer_value(json_object_get(root, "cpus")));
	put_words(reader->document->about, sizeof(reader->document->about),
		  json_object_get(root, "command"));
	if (!json_is_array(variants))
		return own_fault(reader, "it has no \"variants\", so it is no whole report of "
					 "ownline compare; make it again");
	for (size_t f = 0; f < own_array_size(figures); f++) {
		for (size_t i = 0; i < json_array_size(variants); i++) {
			if (!take_figure(reader, json_array_get(variants, i), &figures[f], values))
				return false;
		}
	}
	return true;
}

static bool same_result(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"name", "unit", "variant"};

	for (size_t i = 0; i < own_array_size(keys); i++) {
		if (strcmp(string_or(a, keys[i], ""), string_or(b, keys[i], "")) != 0)
			return false;
	}
	return true;
}

/* Results of the same name, unit and variant are runs of one measurement: their median counts. */
static bool take_result(struct own_reader *reader, const json_t *results, size_t index,
			double *values)
{
	const json_t *result = json_array_get(results, index);
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(results) && count < MOST_VALUES; i++) {
		const json_t *other = json_array_get(results, i);

		if (!same_result(result, other))
			continue;
		if (i < index)
			return true; /* was taken with the first of them */
		values[count++] = json_number_value(json_object_get(other, "value"));
	}
	return own_document_add(reader->document, string_or(result, "name", ""),
				string_or(result, "unit", ""), string_or(result, "variant", ""),
				own_spread_of(values, count).median) ||
	       no_memory(reader);
}

bool own_take_lab(struct own_reader *reader, const json_t *root)
{
	const json_t *results = json_object_get(root, "results");
	static double values[MOST_VALUES];

	describe_machine(reader, root);
	if (!json_is_array(results))
		return own_fault(reader, "it has no \"results\", so it is no whole report of the "
					 "kernel lab; make it again");
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);

		if (string_or(result, "name", NULL) == NULL ||
		    !json_is_number(json_object_get(result, "value")))
			return own_fault(
			    reader, "result %zu lacks its name or value; make the report again",
			    i + 1);
	}
	for (size_t i = 0; i < json_array_size(results); i++) {
		if (!take_result(reader, results, i, values))
			return false;
	}
	return true;
}
