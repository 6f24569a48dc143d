/* ownline report: options, and what is missing where it was built without its library. */
#include "tools/commands.h"
#include "tools/report/request.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: ownline report diff [--format text|json] FILE FILE...\n"
    "       ownline report show [--format text|json] FILE\n"
    "\n"
    "Reads what \"ownline run\", \"ownline trace\" or \"ownline compare\" have written with\n"
    "--report json, or the kernel lab's results. diff puts several of one kind side by side:\n"
    "each figure, and its ratio to that of the first file (of shares, the difference in\n"
    "points). show prints the figures of one.\n"
    "\n"
    "options:\n"
    "  -f, --format FORMAT  text (default) or json\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0; 1 if the table cannot be written; 2 for bad usage, a file that cannot\n"
    "be read or is no whole report, or files of different kinds. See ownline-report(1).\n";

#ifndef OWN_HAVE_JANSSON
int own_report_main(const struct own_report_request *request)
{
	(void)request;
	own_complain("report: built without jansson; install libjansson-dev (apt-get install "
		     "libjansson-dev) and build again");
	return OWN_EXIT_USAGE;
}
#endif

static int parse_options(struct own_report_request *request, int argc, char **argv, bool *helped)
{
	static const struct option long_options[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int found;

	while ((found = getopt_long(argc, argv, "+:f:h", long_options, NULL)) != -1) {
		switch (found) {
		case 'f':
			request->json = strcmp(optarg, "json") == 0;
			if (request->json || strcmp(optarg, "text") == 0)
				break;
			own_complain("report: --format %s: give text or json", optarg);
			return OWN_EXIT_USAGE;
		case 'h':
			fputs(help, stdout);
			*helped = true;
			return own_finish_output();
		default:
			return own_complain_option("report", found, argv);
		}
	}
	return 0;
}

int own_command_report(int argc, char **argv)
{
	struct own_report_request request = {.json = false};
	bool helped = false;
	bool diff;
	int status = parse_options(&request, argc, argv, &helped);

	if (status != 0 || helped)
		return status;
	argc -= optind;
	argv += optind;
	diff = argc > 0 && strcmp(argv[0], "diff") == 0;
	if (argc == 0 || (!diff && strcmp(argv[0], "show") != 0)) {
		own_complain("report: say diff or show; see \"ownline report --help\"");
		return OWN_EXIT_USAGE;
	}
	optind = 1;
	status = parse_options(&request, argc, argv, &helped);
	if (status != 0 || helped)
		return status;
	request.paths = argv + optind;
	request.count = (size_t)(argc - optind);
	if (diff ? request.count < 2 : request.count != 1) {
		own_complain(diff ? "report: diff wants two files or more; for one, say show"
				  : "report: show wants one file; for more, say diff");
		return OWN_EXIT_USAGE;
	}
	return own_report_main(&request);
}
