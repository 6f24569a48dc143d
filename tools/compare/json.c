/* The report for programs. ownline-compare(1) describes its fields. */
#include "tools/compare/compare.h"

#include <jansson.h>
#include <ownline/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DIGITS 9 /* nanoseconds in seconds */

/* Words are bytes, JSON is UTF-8: what is none is taken byte by byte, so that nothing is lost. */
static json_t *text_of(const char *text)
{
	json_t *string = json_string(text);
	char *wide;
	char *at;

	if (string != NULL)
		return string;
	wide = malloc(2 * strlen(text) + 1);
	if (wide == NULL)
		return NULL;
	for (at = wide; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte >= 0x80)
			*at++ = (char)(0xc0 | byte >> 6);
		*at++ = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
	}
	*at = '\0';
	string = json_string(wide);
	free(wide);
	return string;
}

/* Null for "". */
static json_t *text_or_null(const char *text)
{
	return text != NULL && text[0] != '\0' ? text_of(text) : json_null();
}

static bool is_wanted(const struct own_compare *compare, enum own_compare_figure figure)
{
	return figure != OWN_FIGURE_metric || compare->metric != NULL;
}

/* Counters stay whole numbers. */
static json_t *number_of(double value)
{
	if (value == (double)(json_int_t)value && value < 1e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static json_t *run_object(const struct own_compare *compare, const struct own_compare_run *run)
{
	json_t *object = json_pack("{s:i}", "round", (int)run->round);

	for (int i = 0; i < OWN_FIGURES; i++) {
		enum own_compare_figure figure = (enum own_compare_figure)i;

		/* The cost of tracing can be told from the wall time of the runs that had it. */
		if (is_wanted(compare, figure) &&
		    (!own_figure_is_counted(figure) || own_run_has_figure(run, figure)))
			json_object_set_new(object, own_figure_name(figure),
					    number_of(own_compare_value(run, figure)));
	}
	json_object_set_new(object, "left_running", json_integer(run->left));
	if (run->traced)
		json_object_set_new(object, "lost", json_integer((json_int_t)run->counts.lost));
	if (run->counts.own_counted)
		json_object_set_new(object, "own_lost",
				    json_integer((json_int_t)run->counts.own_lost));
	return object;
}

static json_t *runs_array(const struct own_compare *compare, const struct own_variant *variant,
			  bool traced)
{
	json_t *array = json_array();

	for (size_t i = 0; i < variant->run_count; i++) {
		if (variant->runs[i].traced == traced)
			json_array_append_new(array, run_object(compare, &variant->runs[i]));
	}
	return array;
}

static json_t *summary_object(const struct own_compare *compare, const struct own_variant *variant)
{
	json_t *summary = json_object();

	for (int i = 0; i < OWN_FIGURES; i++) {
		enum own_compare_figure figure = (enum own_compare_figure)i;
		struct own_spread spread = own_variant_spread(variant, figure);

		if (spread.count > 0 && is_wanted(compare, figure))
			json_object_set_new(
			    summary, own_figure_name(figure),
			    json_pack("{s:o,s:o,s:o}", "median", number_of(spread.median), "low",
				      number_of(spread.low), "high", number_of(spread.high)));
	}
	return summary;
}

static json_t *variant_object(const struct own_compare *compare, const struct own_variant *variant)
{
	char verdict[512];

	own_compare_verdict(compare, variant, verdict, sizeof(verdict));
	return json_pack(
	    "{s:o,s:b,s:o,s:o,s:o,s:o,s:o}", "name", text_of(variant->name), "available",
	    variant->reason[0] == '\0', "reason", text_or_null(variant->reason), "timed_runs",
	    runs_array(compare, variant, false), "traced_runs", runs_array(compare, variant, true),
	    "summary", summary_object(compare, variant), "verdict", text_of(verdict));
}

static json_t *words_array(char **words)
{
	json_t *array = json_array();

	for (; *words != NULL; words++)
		json_array_append_new(array, text_of(*words));
	return array;
}

bool own_compare_write_json(FILE *stream, const struct own_compare *compare)
{
	const struct own_compare_options *options = compare->options;
	json_t *variants = json_array();
	struct utsname name;
	json_t *root;
	bool written;

	for (size_t i = 0; i < compare->variant_count; i++)
		json_array_append_new(variants, variant_object(compare, &compare->variants[i]));
	uname(&name);
	root = json_pack("{s:s,s:i,s:s,s:b,s:o,s:o,s:s,s:s,s:i,s:s,s:o,s:o,s:i,s:i,s:o,s:s,s:o}",
			 "schema", OWN_COMPARE_SCHEMA, "version", OWN_COMPARE_VERSION, "ownline",
			 OWNLINE_VERSION, "complete", compare->failure[0] == '\0', "failure",
			 text_or_null(compare->failure), "host", text_of(name.nodename), "kernel",
			 name.release, "machine", name.machine, "cpus",
			 (int)sysconf(_SC_NPROCESSORS_ONLN), "date", compare->date, "command",
			 words_array(options->command), "metric", text_or_null(options->metric),
			 "runs", (int)options->runs, "traced", (int)options->traced, "not_traced",
			 text_or_null(compare->untraced), "bucket_lock", compare->lock_measured,
			 "variants", variants);
	written = root != NULL &&
		  json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) == 0;
	if (written)
		putc('\n', stream);
	json_decref(root);
	return written;
}
