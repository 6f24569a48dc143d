/* The report for people: tables with a row per variant, at most 80 columns wide but for long names.
 */
#include "tools/compare/compare.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define WIDTH 80

static int name_width(const struct own_compare *compare)
{
	size_t width = strlen("variant");

	for (size_t i = 0; i < compare->variant_count; i++) {
		size_t length = strlen(compare->variants[i].name);

		width = length > width ? length : width;
	}
	return (int)width;
}

static void put_clean(FILE *stream, const char *text)
{
	for (; *text != '\0'; text++)
		putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stream);
}

static void put_title(FILE *stream, const struct own_compare *compare)
{
	struct utsname name;

	uname(&name);
	fputs("ownline compare:", stream);
	for (char **word = compare->options->command; *word != NULL; word++) {
		putc(' ', stream);
		put_clean(stream, *word);
	}
	fprintf(stream, "\n%s, Linux %s, %ld CPUs, %s\n", name.nodename, name.release,
		sysconf(_SC_NPROCESSORS_ONLN), compare->date);
	if (compare->failure[0] != '\0') {
		fputs("incomplete: ", stream);
		put_clean(stream, compare->failure);
		putc('\n', stream);
	}
}

/* "1.234  1.200..1.345     0.95": median, range, and the share of the baseline's median. */
static void put_spread(FILE *stream, const struct own_compare *compare,
		       const struct own_variant *variant, enum own_compare_figure figure,
		       int range_width)
{
	struct own_spread spread = own_variant_spread(variant, figure);
	struct own_spread base = own_variant_spread(own_compare_baseline(compare), figure);
	char median[32];
	char low[32];
	char high[32];
	char range[72];

	if (spread.count == 0) {
		fprintf(stream, "%9s  %-*s %6s", "no run", range_width, "", "");
		return;
	}
	own_format_number(spread.median, median, sizeof(median));
	own_format_number(spread.low, low, sizeof(low));
	own_format_number(spread.high, high, sizeof(high));
	snprintf(range, sizeof(range), "%s..%s", low, high);
	fprintf(stream, "%9s  %-*s ", median, range_width, spread.count > 1 ? range : "");
	if (base.count > 0 && base.median != 0)
		fprintf(stream, "%6.2f", spread.median / base.median);
	else
		fprintf(stream, "%6s", "");
}

/* A table of one figure or two. */
static void put_medians(FILE *stream, const struct own_compare *compare, const char *title,
			const enum own_compare_figure *figures, const char *const *titles,
			size_t count)
{
	int range_width = count > 1 ? 14 : 26;
	int width = name_width(compare);

	putc('\n', stream);
	put_clean(stream, title);
	fprintf(stream, "\n  %-*s ", width, "variant");
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%9s  %-*s %6s", titles[i], range_width, "range", "ratio");
	putc('\n', stream);
	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];

		if (variant->reason[0] != '\0')
			continue;
		fprintf(stream, "  %-*s ", width, variant->name);
		for (size_t f = 0; f < count; f++)
			put_spread(stream, compare, variant, figures[f], range_width);
		putc('\n', stream);
	}
}

static void put_times(FILE *stream, const struct own_compare *compare)
{
	static const enum own_compare_figure times[] = {OWN_FIGURE_wall_s, OWN_FIGURE_cpu_s};
	static const char *const time_titles[] = {"wall s", "CPU s"};
	static const enum own_compare_figure metric = OWN_FIGURE_metric;
	static const char *const metric_title = "metric";
	char title[80];

	snprintf(title, sizeof(title), "timed runs: %u of each variant; medians, ratio to %s",
		 compare->options->runs, own_compare_baseline(compare)->name);
	put_medians(stream, compare, title, times, time_titles, 2);
	if (compare->metric == NULL)
		return;
	snprintf(title, sizeof(title), "metric: %s", compare->options->metric);
	put_medians(stream, compare, title, &metric, &metric_title, 1);
}

static void put_count(FILE *stream, const struct own_variant *variant,
		      enum own_compare_figure figure, int width)
{
	struct own_spread spread = own_variant_spread(variant, figure);
	char text[32] = "no run";

	if (spread.count > 0)
		own_format_number(spread.median, text, sizeof(text));
	fprintf(stream, " %*s", width, text);
}

static void put_switches(FILE *stream, const struct own_compare *compare)
{
	int width = name_width(compare);

	fprintf(stream,
		"\ncontext switches and CPU time of the timed runs, medians\n"
		"  %-*s %11s %11s %11s %11s\n",
		width, "variant", "voluntary", "involuntary", "user s", "system s");
	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];

		if (variant->reason[0] != '\0')
			continue;
		fprintf(stream, "  %-*s", width, variant->name);
		put_count(stream, variant, OWN_FIGURE_voluntary_switches, 11);
		put_count(stream, variant, OWN_FIGURE_involuntary_switches, 11);
		put_count(stream, variant, OWN_FIGURE_user_s, 11);
		put_count(stream, variant, OWN_FIGURE_system_s, 11);
		putc('\n', stream);
	}
}

static void put_share(FILE *stream, const struct own_variant *variant,
		      enum own_compare_figure figure)
{
	struct own_spread spread = own_variant_spread(variant, figure);

	if (spread.count > 0)
		fprintf(stream, " %7.2f %%", spread.median);
	else
		fprintf(stream, " %9s", "");
}

/* Other futex calls of the command are the C library's or its own: no lock library changes them. */
static void put_own_waits(FILE *stream, const struct own_compare *compare)
{
	int width = name_width(compare);
	bool begun = false;

	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];
		struct own_compare_counts sum;
		char all[48];

		if (!own_variant_own_waits(variant, &sum))
			continue;
		if (!begun)
			fprintf(stream,
				"\nof these, ownline's own waits, as the library counts them\n"
				"  %-*s %11s %11s %9s %25s\n",
				width, "variant", "waits", "mismatched", "share", "in all runs");
		begun = true;
		fprintf(stream, "  %-*s", width, variant->name);
		put_count(stream, variant, OWN_FIGURE_own_waits, 11);
		put_count(stream, variant, OWN_FIGURE_own_mismatched_waits, 11);
		put_share(stream, variant, OWN_FIGURE_own_mismatched_share_percent);
		snprintf(all, sizeof(all), "%" PRIu64 " of %" PRIu64 ", %.2f %%",
			 sum.own_mismatched, sum.own_waits,
			 own_percent(sum.own_mismatched, sum.own_waits));
		fprintf(stream, " %25s\n", all);
	}
}

static void put_counts(FILE *stream, const struct own_compare *compare)
{
	int width = name_width(compare);
	bool lock = strcmp(compare->lock_measured, "none") != 0;

	if (compare->untraced[0] != '\0') {
		fprintf(stream, "\nfutex calls: not counted: %s\n", compare->untraced);
		return;
	}
	fprintf(stream,
		"\nfutex calls, counted by the kernel in %u further run%s of each variant%s\n",
		compare->options->traced, compare->options->traced == 1 ? "" : "s",
		compare->options->traced == 1 ? "" : "; medians");
	fprintf(stream, "  %-*s %11s %11s %9s %11s %11s%s\n", width, "variant", "waits",
		"mismatched", "share", "their s", "wakes", lock ? "     lock s" : "");
	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];

		if (variant->reason[0] != '\0')
			continue;
		fprintf(stream, "  %-*s", width, variant->name);
		put_count(stream, variant, OWN_FIGURE_waits, 11);
		put_count(stream, variant, OWN_FIGURE_mismatched_waits, 11);
		put_share(stream, variant, OWN_FIGURE_mismatched_share_percent);
		put_count(stream, variant, OWN_FIGURE_mismatched_time_s, 11);
		put_count(stream, variant, OWN_FIGURE_wakes, 11);
		if (lock)
			put_count(stream, variant, OWN_FIGURE_bucket_lock_s, 10);
		putc('\n', stream);
	}
	if (lock)
		fprintf(stream,
			"their s: time in mismatched waits; lock s: in %s waits for a bucket "
			"lock\n",
			compare->lock_measured);
	else
		fputs("their s: time in mismatched waits\n", stream);
	put_own_waits(stream, compare);
}

/* Breaks at blanks; what follows the first line stands below the text of the first. */
static void put_wrapped(FILE *stream, const char *label, const char *text)
{
	size_t column = (size_t)fprintf(stream, "  %s:", label);
	size_t indent = 4;

	while (*text != '\0') {
		size_t length = strcspn(text, " ");

		/* A number and its per cent sign stay together. */
		if (strncmp(text + length, " %", 2) == 0)
			length += 1 + strcspn(text + length + 1, " ");
		if (column + 1 + length > WIDTH && column > indent)
			column = (size_t)fprintf(stream, "\n%*s", (int)indent - 1, "") - 1;
		column += (size_t)fprintf(stream, " %.*s", (int)length, text);
		text += length + (text[length] == ' ');
	}
	putc('\n', stream);
}

static void put_verdicts(FILE *stream, const struct own_compare *compare)
{
	fputs("\nverdict\n", stream);
	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];
		char text[512];

		own_compare_verdict(compare, variant, text, sizeof(text));
		put_wrapped(stream, variant->name, text);
	}
}

static void put_notes(FILE *stream, const struct own_compare *compare)
{
	unsigned long left = 0;
	unsigned long long lost = 0;
	unsigned long long own_lost = 0;

	for (size_t i = 0; i < compare->variant_count; i++) {
		const struct own_variant *variant = &compare->variants[i];

		for (size_t r = 0; r < variant->run_count; r++) {
			left += variant->runs[r].left;
			lost += variant->runs[r].counts.lost;
			own_lost += variant->runs[r].counts.own_lost;
		}
	}
	if (left > 0)
		fprintf(stream,
			"note: the command left processes running, %lu in all; they were ended\n",
			left);
	if (lost > 0)
		fprintf(stream,
			"note: %llu threads or calls found no room in the kernel's tables: counts "
			"are too low\n",
			lost);
	if (own_lost > 0)
		fprintf(stream,
			"note: %llu processes found no room in ownline's region: the counts of its "
			"own waits are too low\n",
			own_lost);
}

void own_compare_write_text(FILE *stream, const struct own_compare *compare)
{
	put_title(stream, compare);
	if (own_compare_baseline(compare) != NULL) {
		put_times(stream, compare);
		put_switches(stream, compare);
		put_counts(stream, compare);
	}
	put_verdicts(stream, compare);
	put_notes(stream, compare);
}
