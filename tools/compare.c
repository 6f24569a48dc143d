/* ownline compare: options, and what is missing where it was built without its libraries. */
#include "tools/compare/compare.h"
#include "tools/commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: ownline compare [OPTIONS] [--] COMMAND [ARGUMENTS...]\n"
    "\n"
    "Runs COMMAND in several variants, in turns, and shows side by side what they take:\n"
    "wall and CPU time, context switches, COMMAND's own figure, and, where the kernel may\n"
    "be asked, futex waits and the mismatched ones. One sentence per variant says whether it\n"
    "differs from COMMAND as it is by more than the runs differ among themselves.\n"
    "\n"
    "options:\n"
    "  -n, --runs N            timed runs of each variant (default: 3)\n"
    "  -t, --traced N          further runs of each, whose futex calls the kernel counts\n"
    "                          (default: 1); --no-trace is --traced 0\n"
    "  -v, --variants LIST     with commas (default: asis,ownline,global,16,256,4096):\n"
    "      asis                with the C library's locks\n"
    "      ownline             with ownline's\n"
    "      ownline:KEY=VALUE   ... and an option of the runtime, see \"ownline options\"\n"
    "      global              C library, the kernel's global futex hash\n"
    "      16, 256, 4096, ...  C library, that many slots in the process's futex hash\n"
    "      ownline-global, ownline-256, ...  ownline with these\n"
    "  -m, --metric REGEX      a number in COMMAND's output: the first group of the last\n"
    "                          match, e.g. 'transactions: +(\\d+)'\n"
    "  -r, --report FORMAT     text (default) or json\n"
    "  -o, --output FILE       where the report goes (default: standard output)\n"
    "  -h, --help              this text\n"
    "\n"
    "COMMAND reads nothing, and what it prints is kept only if it fails. Exit status: 0; 1\n"
    "if COMMAND failed; 2 for bad usage; 126 or 127 if it cannot be run; 128+N after signal\n"
    "N, with a report of the runs so far. See ownline-compare(1).\n";

enum { OPTION_NO_TRACE = 256 };

static const struct option long_options[] = {
    {"runs", required_argument, NULL, 'n'},
    {"traced", required_argument, NULL, 't'},
    {"no-trace", no_argument, NULL, OPTION_NO_TRACE},
    {"variants", required_argument, NULL, 'v'},
    {"metric", required_argument, NULL, 'm'},
    {"report", required_argument, NULL, 'r'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#ifndef OWN_HAVE_JANSSON
int own_compare_main(const struct own_compare_options *options)
{
	(void)options;
	own_complain("compare: built without jansson; install libjansson-dev (apt-get install "
		     "libjansson-dev) and build again");
	return OWN_EXIT_USAGE;
}
#endif

static int parse_number(const char *option, const char *text, unsigned least, unsigned *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || number < least ||
	    number > OWN_COMPARE_MAX_RUNS) {
		own_complain("compare: %s %s: give a whole number from %u to %d", option, text,
			     least, OWN_COMPARE_MAX_RUNS);
		return OWN_EXIT_USAGE;
	}
	*value = (unsigned)number;
	return 0;
}

static int parse_option(int option, struct own_compare_options *options)
{
	switch (option) {
	case 'n':
		return parse_number("--runs", optarg, 1, &options->runs);
	case 't':
		return parse_number("--traced", optarg, 0, &options->traced);
	case OPTION_NO_TRACE:
		options->traced = 0;
		return 0;
	case 'v':
		options->variants = optarg;
		return 0;
	case 'm':
		options->metric = optarg;
		return 0;
	case 'r':
		options->json = strcmp(optarg, "json") == 0;
		if (options->json || strcmp(optarg, "text") == 0)
			return 0;
		own_complain("compare: --report %s: give text or json", optarg);
		return OWN_EXIT_USAGE;
	default:
		options->output = optarg;
		return 0;
	}
}

int own_command_compare(int argc, char **argv)
{
	static char variants[] = "asis,ownline,global,16,256,4096";
	struct own_compare_options options = {.runs = 3, .traced = 1, .variants = variants};
	int found;
	int status;

	/* "+": options behind COMMAND are COMMAND's. */
	while ((found = getopt_long(argc, argv, "+:n:t:v:m:r:o:h", long_options, NULL)) != -1) {
		if (found == 'h') {
			fputs(help, stdout);
			return own_finish_output();
		}
		if (found == '?' || found == ':')
			return own_complain_option("compare", found, argv);
		status = parse_option(found, &options);
		if (status != 0)
			return status;
	}
	if (optind == argc) {
		own_complain("compare: no command is given; see \"ownline compare --help\"");
		return OWN_EXIT_USAGE;
	}
	options.command = argv + optind;
	return own_compare_main(&options);
}
