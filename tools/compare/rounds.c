/*
 * The rounds. In each, every variant runs once, the order moving on by one from round to round, so
 * that what changes on the machine meanwhile meets all alike.
 *
 * Runs that are traced are runs of their own, before the timed ones of their round: tracing makes
 * every futex call dearer, and so would make those variants look slow that make many. The first
 * runs, which find nothing in the page cache, are then none of the timed ones.
 */
#include "tools/commands.h"
#include "tools/compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TAIL_BYTES 2048
#define TAIL_LINES 20
#define PROGRESS_S 2.0

struct course {
	struct own_compare *compare;
	char output_path[PATH_MAX];
	int output;
	unsigned done;
	unsigned total;
	double spent_s;
	double shown_s; /* when the last line of progress was shown */
	bool terminal;
	bool line_open; /* the terminal's cursor stands behind a progress line */
};

/* Why the rounds end early, and the exit status for it. */
OWN_PRINTF(3, 4)
static int fail(struct course *course, int status, const char *format, ...)
{
	char *text = course->compare->failure;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(course->compare->failure), format, arguments);
	va_end(arguments);
	return status;
}

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static unsigned runs_left(const struct course *course)
{
	return course->total > course->done ? course->total - course->done : 1;
}

static void show_progress(struct course *course, const struct own_variant *variant, unsigned round,
			  bool traced)
{
	double now = now_s();
	char left[64] = "";
	char line[160];

	/* In a file, a line for every short run would be no help. */
	if (!course->terminal && course->done > 0 && now - course->shown_s < PROGRESS_S)
		return;
	course->shown_s = now;
	if (course->done > 0) {
		double rest = course->spent_s / course->done * runs_left(course);

		snprintf(left, sizeof(left), "; %u:%02u left", (unsigned)rest / 60,
			 (unsigned)rest % 60);
	}
	snprintf(line, sizeof(line), "ownline compare: run %u of %u: round %u, %.40s%s%s",
		 course->done + 1, course->total, round, variant->name, traced ? ", counted" : "",
		 left);
	if (course->terminal)
		fprintf(stderr, "\r%-79.79s", line);
	else
		fprintf(stderr, "%s\n", line);
	course->line_open = course->terminal;
}

static void end_progress(struct course *course)
{
	if (course->line_open)
		fprintf(stderr, "\r%79s\r", "");
	course->line_open = false;
}

static int open_output(struct course *course)
{
	const char *folder = getenv("TMPDIR");

	if (folder == NULL || folder[0] == '\0')
		folder = "/tmp";
	snprintf(course->output_path, sizeof(course->output_path), "%s/ownline-compare.XXXXXX",
		 folder);
	/* Appending: a program may open /dev/stderr anew, and would write over what is there. */
	course->output = mkostemp(course->output_path, O_APPEND | O_CLOEXEC);
	if (course->output >= 0)
		return 0;
	own_complain("compare: cannot make a file for the command's output in %s: %s; set TMPDIR "
		     "to a folder that can be written",
		     folder, strerror(errno));
	return OWN_EXIT_CANNOT_EXECUTE;
}

/* The last lines of what the command has written, to standard error. */
static void show_tail(const struct course *course)
{
	char text[TAIL_BYTES + 1];
	off_t size = lseek(course->output, 0, SEEK_END);
	off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
	ssize_t length = pread(course->output, text, TAIL_BYTES, from);
	char *start = text;
	unsigned lines = 0;

	if (length <= 0) {
		fprintf(stderr, "  (it has written nothing)\n");
		return;
	}
	text[length] = '\0';
	for (ssize_t i = length - 2; i >= 0 && lines < TAIL_LINES; i--) {
		if (text[i] == '\n' && ++lines == TAIL_LINES)
			start = text + i + 1;
	}
	for (char *line = strtok(start, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		for (char *at = line; *at != '\0'; at++) {
			if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
				*at = '?';
		}
		fprintf(stderr, "  | %s\n", line);
	}
}

static int describe_failure(struct course *course, const struct own_variant *variant,
			    unsigned round, const struct own_child_end *end)
{
	if (end->interrupted != 0)
		return fail(course, OWN_EXIT_SIGNAL + end->interrupted,
			    "interrupted by signal %d (%s)", end->interrupted,
			    strsignal(end->interrupted));
	if (end->exec_error == ENOENT || end->exec_error == ENOTDIR)
		return fail(course, OWN_EXIT_NOT_FOUND,
			    "cannot run \"%s\": %s; check its name, PATH, and its interpreter",
			    course->compare->options->command[0], strerror(end->exec_error));
	if (end->exec_error != 0)
		return fail(course, OWN_EXIT_CANNOT_EXECUTE,
			    "cannot run \"%s\": %s; check its permissions and format",
			    course->compare->options->command[0], strerror(end->exec_error));
	if (WIFSIGNALED(end->status))
		return fail(course, 1,
			    "round %u, variant %s: the command was killed by signal %d (%s)", round,
			    variant->name, WTERMSIG(end->status), strsignal(WTERMSIG(end->status)));
	return fail(course, 1, "round %u, variant %s: the command ended with status %d", round,
		    variant->name, WEXITSTATUS(end->status));
}

static int keep(struct own_variant *variant, const struct own_compare_run *run)
{
	struct own_compare_run *runs =
	    realloc(variant->runs, (variant->run_count + 1) * sizeof(*runs));

	if (runs == NULL)
		return ENOMEM;
	variant->runs = runs;
	runs[variant->run_count++] = *run;
	return 0;
}

/* What the run has shown, once the command has ended well. */
static int take_figures(struct course *course, struct own_variant *variant,
			struct own_compare_run *run)
{
	struct own_compare *compare = course->compare;
	char message[160];

	if (compare->metric != NULL && !own_metric_read(compare->metric, course->output,
							&run->metric, message, sizeof(message)))
		return fail(course, OWN_EXIT_USAGE, "variant %s: %s", variant->name, message);
	if (keep(variant, run) != 0)
		return fail(course, OWN_EXIT_CANNOT_EXECUTE, "out of memory; end other programs");
	return 0;
}

static bool counts_own_waits(const struct own_variant *variant, const struct own_tracer *tracer)
{
	return tracer != NULL && variant->kind == OWN_VARIANT_OWNLINE;
}

/* The run itself; `tracer` and `probe` are NULL or open. */
static int run_command(struct course *course, struct own_variant *variant,
		       struct own_tracer *tracer, const struct own_probe *probe,
		       struct own_compare_run *run)
{
	struct own_child_request request = {
	    .command = course->compare->options->command,
	    .variant = variant,
	    .tracer = tracer,
	    .output = course->output,
	    .probe = probe,
	};
	struct own_child_end end;
	int error = ftruncate(course->output, 0) != 0 ? errno : 0;

	if (error == 0)
		error = own_child_run(&request, run, &end);
	if (error != 0)
		return fail(course, OWN_EXIT_CANNOT_EXECUTE,
			    "cannot start the command: %s; end processes or raise ulimit -u",
			    strerror(error));
	if (end.interrupted != 0 || end.exec_error != 0 || end.status != 0)
		return describe_failure(course, variant, run->round, &end);
	if (probe != NULL)
		own_probe_judge(probe, variant);
	error = tracer != NULL ? own_tracer_read(tracer, &run->counts) : 0;
	if (error != 0)
		return fail(course, OWN_EXIT_CANNOT_EXECUTE,
			    "cannot read the kernel's counters: %s; try --no-trace",
			    strerror(error));
	if (counts_own_waits(variant, tracer))
		own_probe_count(probe, &run->counts);
	return variant->reason[0] == '\0' ? take_figures(course, variant, run) : 0;
}

static int run_probed(struct course *course, struct own_variant *variant, struct own_tracer *tracer,
		      struct own_compare_run *run)
{
	struct own_probe probe;
	int status;

	if (variant->verified && !counts_own_waits(variant, tracer))
		return run_command(course, variant, tracer, NULL, run);
	status = own_probe_begin(&probe, variant);
	if (status == 0)
		status = run_command(course, variant, tracer, &probe, run);
	else
		status = fail(course, OWN_EXIT_CANNOT_EXECUTE, "cannot make a file: %s; set TMPDIR",
			      strerror(status));
	own_probe_end(&probe);
	return status;
}

static int run_one(struct course *course, struct own_variant *variant, unsigned round, bool traced)
{
	struct own_compare *compare = course->compare;
	struct own_compare_run run = {.round = round, .traced = traced};
	struct own_tracer *tracer = NULL;
	double start_s = now_s();
	int number = own_children_interrupted();
	int status;

	if (number != 0)
		return fail(course, OWN_EXIT_SIGNAL + number, "interrupted by signal %d (%s)",
			    number, strsignal(number));
	show_progress(course, variant, round, traced);
	if (traced) {
		tracer = own_tracer_open(compare->untraced, sizeof(compare->untraced),
					 &compare->lock_measured);
		if (tracer == NULL)
			return 0;
	}
	status = run_probed(course, variant, tracer, &run);
	own_tracer_close(tracer);
	course->done++;
	course->spent_s += now_s() - start_s;
	return status;
}

static int run_all(struct course *course, unsigned round, bool traced)
{
	struct own_compare *compare = course->compare;

	for (size_t i = 0; i < compare->variant_count; i++) {
		size_t index = (i + round - 1) % compare->variant_count;
		struct own_variant *variant = &compare->variants[index];
		int status;

		if (variant->reason[0] != '\0' || (traced && compare->untraced[0] != '\0'))
			continue;
		status = run_one(course, variant, round, traced);
		if (status != 0)
			return status;
	}
	return 0;
}

static unsigned count_runs(const struct own_compare *compare)
{
	unsigned available = 0;
	unsigned each = compare->options->runs;

	if (compare->untraced[0] == '\0')
		each += compare->options->traced;
	for (size_t i = 0; i < compare->variant_count; i++)
		available += compare->variants[i].reason[0] == '\0';
	return available * each;
}

static int run_rounds(struct course *course)
{
	const struct own_compare_options *options = course->compare->options;
	unsigned most = options->runs > options->traced ? options->runs : options->traced;
	int status = 0;

	for (unsigned round = 1; round <= most && status == 0; round++) {
		course->total = count_runs(course->compare);
		if (round <= options->traced)
			status = run_all(course, round, true);
		course->total = count_runs(course->compare);
		if (status == 0 && round <= options->runs)
			status = run_all(course, round, false);
	}
	return status;
}

int own_compare_rounds(struct own_compare *compare)
{
	struct course course = {.compare = compare, .terminal = isatty(STDERR_FILENO) == 1};
	int status = open_output(&course);
	bool kept;

	if (status != 0)
		return status;
	own_children_prepare();
	status = run_rounds(&course);
	end_progress(&course);
	/* A failure of the command, or a metric that is not in its output. */
	kept = status == 1 || status == OWN_EXIT_USAGE;
	if (status != 0)
		own_complain("compare: %s%s%s", compare->failure,
			     kept ? "; its output is kept in " : "",
			     kept ? course.output_path : "");
	if (status == 1)
		show_tail(&course);
	close(course.output);
	if (!kept)
		unlink(course.output_path);
	return status;
}
