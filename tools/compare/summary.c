/* Medians, ranges, and what they say. */
#include "tools/compare/compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

double own_percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

double own_compare_value(const struct own_compare_run *run, enum own_compare_figure figure)
{
	const struct own_compare_counts *counts = &run->counts;

	switch (figure) {
#define OWN_TIMED(name, title, unit, value)                                                        \
	case OWN_FIGURE_##name:                                                                    \
		return value;
#define OWN_COUNTED    OWN_TIMED
#define OWN_OF_OWNLINE OWN_TIMED
#include "tools/compare/figures.def"
#undef OWN_TIMED
#undef OWN_COUNTED
#undef OWN_OF_OWNLINE
	default:
		return 0;
	}
}

bool own_figure_is_counted(enum own_compare_figure figure)
{
	return figure >= OWN_FIGURE_waits;
}

bool own_run_has_figure(const struct own_compare_run *run, enum own_compare_figure figure)
{
	if (figure >= OWN_FIGURE_own_waits)
		return run->counts.own_counted;
	return run->traced == own_figure_is_counted(figure);
}

const char *own_figure_name(enum own_compare_figure figure)
{
	static const char *const names[] = {
#define OWN_TIMED(name, title, unit, value) [OWN_FIGURE_##name] = #name,
#define OWN_COUNTED			    OWN_TIMED
#define OWN_OF_OWNLINE			    OWN_TIMED
#include "tools/compare/figures.def"
#undef OWN_TIMED
#undef OWN_COUNTED
#undef OWN_OF_OWNLINE
	};

	return names[figure];
}

struct own_spread own_variant_spread(const struct own_variant *variant,
				     enum own_compare_figure figure)
{
	static double values[OWN_COMPARE_MAX_RUNS];
	size_t count = 0;

	for (size_t i = 0; i < variant->run_count && count < OWN_COMPARE_MAX_RUNS; i++) {
		const struct own_compare_run *run = &variant->runs[i];

		if (own_run_has_figure(run, figure))
			values[count++] = own_compare_value(run, figure);
	}
	return own_spread_of(values, count);
}

bool own_variant_own_waits(const struct own_variant *variant, struct own_compare_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < variant->run_count; i++) {
		const struct own_compare_counts *counts = &variant->runs[i].counts;

		sum->own_counted |= counts->own_counted;
		sum->own_waits += counts->own_waits;
		sum->own_mismatched += counts->own_mismatched;
	}
	return sum->own_counted;
}

const struct own_variant *own_compare_baseline(const struct own_compare *compare)
{
	const struct own_variant *first = NULL;

	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];

		if (variant->reason[0] != '\0')
			continue;
		if (variant->kind == OWN_VARIANT_AS_IS)
			return variant;
		if (first == NULL)
			first = variant;
	}
	return first;
}

struct sentence {
	char *text;
	size_t size;
	size_t used;
};

OWN_PRINTF(2, 3) static void say(struct sentence *sentence, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (sentence->used < sentence->size)
		sentence->used +=
		    (size_t)vsnprintf(sentence->text + sentence->used,
				      sentence->size - sentence->used, format, arguments);
	va_end(arguments);
}

struct compared {
	enum own_compare_figure figure;
	const char *words;
};

/* Returns how many figures differ by more than their spread. */
static unsigned say_differences(struct sentence *sentence, const struct own_variant *variant,
				const struct own_variant *baseline, const struct compared *compared,
				size_t count)
{
	unsigned different = 0;

	for (size_t i = 0; i < count; i++) {
		struct own_spread theirs = own_variant_spread(baseline, compared[i].figure);
		struct own_spread ours = own_variant_spread(variant, compared[i].figure);

		if (!own_spreads_are_apart(&theirs, &ours) || theirs.median == 0)
			continue;
		say(sentence, "%s%s %.2f times", different > 0 ? ", " : "", compared[i].words,
		    ours.median / theirs.median);
		different++;
	}
	return different;
}

static void say_times(struct sentence *sentence, const struct own_compare *compare,
		      const struct own_variant *variant, const struct own_variant *baseline)
{
	static const struct compared compared[] = {
	    {OWN_FIGURE_wall_s, "wall time"},
	    {OWN_FIGURE_cpu_s, "CPU time"},
	    {OWN_FIGURE_metric, "the metric"},
	};
	size_t count = compare->metric != NULL ? 3 : 2;
	struct own_spread theirs = own_variant_spread(baseline, OWN_FIGURE_wall_s);
	struct own_spread ours = own_variant_spread(variant, OWN_FIGURE_wall_s);

	if (theirs.count == 0 || ours.count == 0) {
		say(sentence, "no timed run to compare");
		return;
	}
	if (say_differences(sentence, variant, baseline, compared, count) > 0)
		say(sentence, " that of %s", baseline->name);
	else
		say(sentence, "no difference beyond the spread in wall time%s",
		    count == 3 ? ", CPU time or the metric" : " or CPU time");
	if (theirs.count == 1 || ours.count == 1)
		say(sentence, " (one run: its spread is not known)");
}

/* Few waits make a share say little: the number stands before it. */
static void say_mismatches(struct sentence *sentence, const struct own_variant *variant)
{
	struct own_spread share = own_variant_spread(variant, OWN_FIGURE_mismatched_share_percent);
	struct own_spread count = own_variant_spread(variant, OWN_FIGURE_mismatched_waits);

	say(sentence, "%.0f (%.2f %% of all)", count.median, share.median);
}

static bool was_counted(const struct own_variant *variant)
{
	return own_variant_spread(variant, OWN_FIGURE_waits).count > 0;
}

void own_compare_verdict(const struct own_compare *compare, const struct own_variant *variant,
			 char *text, size_t size)
{
	const struct own_variant *baseline = own_compare_baseline(compare);
	struct sentence sentence = {text, size, 0};
	struct own_compare_counts own;

	text[0] = '\0';
	if (variant->reason[0] != '\0') {
		say(&sentence, "not available: %s.", variant->reason);
		return;
	}
	if (variant == baseline)
		say(&sentence, "what the others are compared with");
	else
		say_times(&sentence, compare, variant, baseline);
	if (was_counted(variant)) {
		say(&sentence, "; mismatched waits ");
		say_mismatches(&sentence, variant);
		if (variant != baseline && was_counted(baseline)) {
			say(&sentence, " instead of ");
			say_mismatches(&sentence, baseline);
		}
	}
	if (own_variant_own_waits(variant, &own))
		say(&sentence, ", of ownline's own waits %" PRIu64 " of %" PRIu64 " (%.2f %%)",
		    own.own_mismatched, own.own_waits,
		    own_percent(own.own_mismatched, own.own_waits));
	say(&sentence, ".");
}
