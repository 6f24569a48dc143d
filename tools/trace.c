/* ownline trace: options, and what is missing where it was built without its libraries. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/commands.h"
#include "tools/trace/trace.h"

static const char help[] =
    "usage: ownline trace [OPTION]... (-p PID | -a | [--] COMMAND [ARGUMENT]...)\n"
    "\n"
    "Counts every futex call of any program, in the kernel: waits by outcome (woken,\n"
    "mismatch, timeout, interrupted), their time, and wakes that woke nobody. Follows all\n"
    "threads and children. Needs root (or CAP_BPF and CAP_PERFMON).\n"
    "\n"
    "  -p, --pid PID           a process that runs, until it ends or Ctrl-C\n"
    "  -a, --all               the whole system, until Ctrl-C\n"
    "  -r, --report FORMAT     text (default) or json\n"
    "  -o, --output FILE       report to FILE; default: stderr with COMMAND, else stdout\n"
    "  -b, --by TABLES         tables to add: word, thread, site, or none; a list with\n"
    "                          commas; may be repeated (default: word,thread)\n"
    "  -i, --interval SECONDS  report so often while it runs, too\n"
    "  -d, --duration SECONDS  with -p or -a: end after so long\n"
    "  -t, --top N             rows per table of the text report (default: 10)\n"
    "      --rows N            room for N threads and N words (default: 65536)\n"
    "      --check             say whether and how well this works here, trace nothing\n"
    "      --verbose           show messages of libbpf and of the kernel's verifier\n"
    "  -h, --help              this text\n"
    "\n"
    "Exit status: COMMAND's own (or its signal); 127 or 126 if it cannot be run; 2 for bad\n"
    "usage or missing privileges; else 0. See ownline-trace(1).\n";

#define BAD_USAGE OWN_EXIT_USAGE
#define MAX_ROWS  (1u << 24)

enum { OPTION_ROWS = 256, OPTION_CHECK, OPTION_VERBOSE };

static const struct option long_options[] = {
    {"pid", required_argument, NULL, 'p'},
    {"all", no_argument, NULL, 'a'},
    {"report", required_argument, NULL, 'r'},
    {"output", required_argument, NULL, 'o'},
    {"by", required_argument, NULL, 'b'},
    {"interval", required_argument, NULL, 'i'},
    {"duration", required_argument, NULL, 'd'},
    {"top", required_argument, NULL, 't'},
    {"rows", required_argument, NULL, OPTION_ROWS},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"verbose", no_argument, NULL, OPTION_VERBOSE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int complain(const char *option, const char *value, const char *wanted)
{
	own_complain("trace: %s %s: give %s", option, value, wanted);
	return BAD_USAGE;
}

static int parse_number(const char *option, const char *text, unsigned long most,
			unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || *value < 1 || *value > most) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "a whole number from 1 to %lu", most);
		return complain(option, text, wanted);
	}
	return 0;
}

static int parse_seconds(const char *option, const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (errno || end == text || *end || !(*value >= 0.01 && *value <= 1e7))
		return complain(option, text, "a number of seconds from 0.01 to 10000000");
	return 0;
}

static int parse_by(const char *text, unsigned *by)
{
	static const struct {
		const char *name;
		unsigned bit;
	} tables[] = {
	    {"word", OWN_TRACE_BY_WORD},
	    {"thread", OWN_TRACE_BY_THREAD},
	    {"site", OWN_TRACE_BY_SITE},
	    {"none", 0},
	};

	for (const char *item = text;; item++) {
		size_t length = strcspn(item, ",");
		size_t i = 0;

		while (i < 4 && (strlen(tables[i].name) != length ||
				 strncmp(tables[i].name, item, length) != 0))
			i++;
		if (i == 4)
			return complain("--by", text, "a list of word, thread, site, or none");
		*by |= tables[i].bit;
		item += length;
		if (!*item)
			return 0;
	}
}

static int set_target(struct own_trace_options *options, enum own_trace_target target)
{
	if (options->target != OWN_TRACE_NO_TARGET && options->target != target) {
		own_complain("trace: -p, -a and COMMAND exclude each other; give one");
		return BAD_USAGE;
	}
	options->target = target;
	return 0;
}

static int parse_option(int option, struct own_trace_options *options, bool *by_given)
{
	unsigned long number = 0;
	int status;

	switch (option) {
	case 'p':
		status = parse_number("--pid", optarg, INT_MAX, &number);
		options->pid = (pid_t)number;
		return status ? status : set_target(options, OWN_TRACE_PID);
	case 'a':
		return set_target(options, OWN_TRACE_ALL);
	case 'r':
		options->json = strcmp(optarg, "json") == 0;
		if (!options->json && strcmp(optarg, "text") != 0)
			return complain("--report", optarg, "text or json");
		return 0;
	case 'o':
		options->output = optarg;
		return 0;
	case 'b':
		*by_given = true;
		return parse_by(optarg, &options->by);
	case 'i':
		return parse_seconds("--interval", optarg, &options->interval_s);
	case 'd':
		return parse_seconds("--duration", optarg, &options->duration_s);
	case 't':
		status = parse_number("--top", optarg, MAX_ROWS, &number);
		options->top = (unsigned)number;
		return status;
	case OPTION_ROWS:
		status = parse_number("--rows", optarg, MAX_ROWS, &number);
		options->rows = (unsigned)number;
		return status;
	case OPTION_CHECK:
		options->check = true;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	default:
		return BAD_USAGE;
	}
}

static int check_target(struct own_trace_options *options, int argc, char **argv)
{
	if (optind < argc) {
		options->command = argv + optind;
		if (set_target(options, OWN_TRACE_COMMAND))
			return BAD_USAGE;
	}
	if (options->check && options->target != OWN_TRACE_NO_TARGET) {
		own_complain("trace: --check traces nothing; leave out -p, -a and COMMAND");
		return BAD_USAGE;
	}
	if (options->target == OWN_TRACE_NO_TARGET && !options->check) {
		own_complain("trace: nothing to trace; give -p PID, -a or -- COMMAND");
		return BAD_USAGE;
	}
	if (options->target == OWN_TRACE_COMMAND && options->duration_s > 0) {
		own_complain("trace: --duration goes with -p or -a; a command is traced "
			     "until it ends (use timeout(1))");
		return BAD_USAGE;
	}
	return 0;
}

#ifndef OWN_HAVE_TRACE
#ifndef OWN_TRACE_MISSING
#define OWN_TRACE_MISSING "its libraries"
#endif
int own_trace_main(const struct own_trace_options *options)
{
	(void)options;
	own_complain("trace: built without " OWN_TRACE_MISSING "; install clang, bpftool and "
		     "libbpf-dev (apt-get install clang bpftool libbpf-dev) and build again");
	return BAD_USAGE;
}
#endif

int own_command_trace(int argc, char **argv)
{
	struct own_trace_options options = {.top = 10, .rows = 65536};
	bool by_given = false;
	int option, status;

	optind = 1;
	/* "+": options behind COMMAND are COMMAND's. */
	while ((option = getopt_long(argc, argv, "+:p:ar:o:b:i:d:t:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == '?' || option == ':')
			return own_complain_option("trace", option, argv);
		status = parse_option(option, &options, &by_given);
		if (status)
			return status;
	}
	if (!by_given)
		options.by = OWN_TRACE_BY_WORD | OWN_TRACE_BY_THREAD;
	status = check_target(&options, argc, argv);
	if (status)
		return status;
	return own_trace_main(&options);
}
