/* The course of one comparison: prepare, run, report. */
#include "tools/commands.h"
#include "tools/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The file is opened before anything runs, so that a bad name costs no run. */
static FILE *open_output(const struct own_compare_options *options)
{
	FILE *stream;

	if (options->output == NULL)
		return stdout;
	stream = fopen(options->output, "ae");
	if (stream == NULL)
		own_complain("compare: --output %s: %s; give a file that can be written",
			     options->output, strerror(errno));
	return stream;
}

static int write_report(const struct own_compare *compare, FILE *stream)
{
	const char *output = compare->options->output;
	bool written = true;

	/* Only now: a comparison that failed to start leaves the last report alone. */
	if (output != NULL && ftruncate(fileno(stream), 0) != 0 && errno != EINVAL)
		written = false;
	if (compare->options->json)
		written = own_compare_write_json(stream, compare) && written;
	else
		own_compare_write_text(stream, compare);
	if (fflush(stream) == 0 && !ferror(stream) && written)
		return 0;
	own_complain("compare: cannot write the report%s%s; is the disk full?",
		     output != NULL ? " to " : "", output != NULL ? output : "");
	return OWN_EXIT_USAGE;
}

/* Whether the kernel lets us count; else the reason goes into the report. */
static void look_for_tracing(struct own_compare *compare)
{
	struct own_tracer *tracer;

	compare->lock_measured = "none";
	if (compare->options->traced == 0) {
		snprintf(compare->untraced, sizeof(compare->untraced), "switched off (--no-trace)");
		return;
	}
	tracer =
	    own_tracer_open(compare->untraced, sizeof(compare->untraced), &compare->lock_measured);
	if (tracer == NULL)
		own_complain("compare: futex calls will not be counted: %s", compare->untraced);
	own_tracer_close(tracer);
}

static bool has_runs(const struct own_compare *compare)
{
	for (size_t i = 0; i < compare->variant_count; i++) {
		if (compare->variants[i].run_count > 0)
			return true;
	}
	return false;
}

static int compare_and_report(struct own_compare *compare, FILE *stream)
{
	int status;
	int written = 0;

	look_for_tracing(compare);
	status = own_compare_rounds(compare);
	if (status == 0 || has_runs(compare))
		written = write_report(compare, stream);
	return status != 0 ? status : written;
}

int own_compare_main(const struct own_compare_options *options)
{
	static struct own_compare compare;
	time_t now = time(NULL);
	struct tm utc;
	FILE *stream;
	int status;

	compare.options = options;
	gmtime_r(&now, &utc);
	strftime(compare.date, sizeof(compare.date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	status = own_variants_parse(&compare);
	if (status == 0 && own_compare_baseline(&compare) == NULL) {
		own_complain("compare: no variant is available here: %s; add asis",
			     compare.variants[0].reason);
		status = OWN_EXIT_USAGE;
	}
	if (status == 0 && options->metric != NULL) {
		compare.metric = own_metric_open(options->metric);
		status = compare.metric == NULL ? OWN_EXIT_USAGE : 0;
	}
	if (status == 0) {
		stream = open_output(options);
		status = stream == NULL ? OWN_EXIT_USAGE : compare_and_report(&compare, stream);
		if (stream != NULL && stream != stdout && fclose(stream) != 0 && status == 0)
			status = OWN_EXIT_USAGE;
	}
	own_metric_close(compare.metric);
	own_variants_free(&compare);
	return status;
}
