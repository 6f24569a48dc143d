/* ownline run */
#include "config/options.h"
#include "sys/futex_hash.h"
#include "tools/commands.h"
#include "tools/launch.h"
#include "tools/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
	enum own_report_format format;
	const char *output; /* NULL: stderr */
	char *options;	    /* for the program, malloc'd */
	char **command;
};

static void help(void)
{
	printf(
	    "usage: ownline run [OPTIONS] [--] COMMAND [ARGUMENTS...]\n"
	    "\n"
	    "Runs COMMAND with ownline in the place of the C library's mutexes and condition\n"
	    "variables, and reports how its waits ended, however it ends itself.\n"
	    "\n"
	    "options:\n"
	    "  -r, --report FORMAT     text (default), json or none\n"
	    "  -o, --output FILE       where the report goes (default: standard error)\n"
	    "  -O, --option KEY=VALUE  set an option of the runtime; see \"ownline options\"\n"
	    "  -h, --help              this text\n"
	    "\n"
	    "The exit status is COMMAND's, 128+N if signal N killed it, 127 if COMMAND cannot be\n"
	    "found, 126 if it cannot be executed, 2 if an option is wrong or FILE not written.\n"
	    "%s names another libownline.so. How to read the report: ownline(1).\n",
	    OWN_LIBRARY_ENVIRONMENT);
}

static int faults;

static void complain_about_environment(const char *message)
{
	own_complain("%s: %s", OWN_OPTIONS_ENVIRONMENT, message);
	faults++;
}

/* Adds to the program's list what has been checked. */
static bool append_option(struct request *request, const char *text)
{
	size_t used = request->options != NULL ? strlen(request->options) : 0;
	char *list = realloc(request->options, used + strlen(text) + 2);

	if (list == NULL) {
		own_complain("out of memory; end other programs");
		return false;
	}
	sprintf(list + used, "%s%s", used > 0 ? ":" : "", text);
	request->options = list;
	return true;
}

/* The launcher writes the report: the library's own options for one would have no effect. */
static bool is_the_launchers(const char *text)
{
	static const char *const names[] = {"report", "output"};

	for (size_t i = 0; i < own_array_size(names); i++) {
		size_t length = strlen(names[i]);

		if (strncmp(text, names[i], length) == 0 && text[length] == '=') {
			own_complain("--option %s: \"ownline run\" writes the report; say --%s %s",
				     text, names[i], text + length + 1);
			return true;
		}
	}
	return false;
}

static bool take_option(struct request *request, const char *text)
{
	char message[256];

	if (strchr(text, ':') != NULL) {
		own_complain("--option %s: a colon separates options; give --option twice", text);
		return false;
	}
	if (own_option_set(text, strlen(text), message, sizeof(message)) != 0) {
		own_complain("%s", message);
		return false;
	}
	return !is_the_launchers(text) && append_option(request, text);
}

static bool take_environment(struct request *request)
{
	const char *list = getenv(OWN_OPTIONS_ENVIRONMENT);

	if (list == NULL || list[0] == '\0')
		return true;
	own_options_parse(list, complain_about_environment);
	if (faults > 0)
		return false;
	request->options = strdup(list);
	return request->options != NULL;
}

static bool take_format(struct request *request, const char *word)
{
	static const char *const words[] = {
	    [OWN_REPORT_NONE] = "none",
	    [OWN_REPORT_TEXT] = "text",
	    [OWN_REPORT_JSON] = "json",
	};

	for (size_t i = 0; i < own_array_size(words); i++) {
		if (strcmp(word, words[i]) == 0) {
			request->format = (enum own_report_format)i;
			return true;
		}
	}
	own_complain("--report %s: give text, json or none", word);
	return false;
}

/* Where every process of the run would be refused, and say so. */
static bool kernel_can(void)
{
	int slots =
	    own_option(OWN_OPTION_futex_hash) > OWN_SLOTS_GLOBAL ? own_futex_hash_slots() : 0;

	if (slots < 0)
		own_complain("option futex_hash=%ld: %s, or futex_hash=keep",
			     own_option(OWN_OPTION_futex_hash), own_futex_hash_why(slots));
	return slots >= 0;
}

/* Returns 0, an exit status, or -1 after --help. */
static int parse(struct request *request, int argc, char **argv)
{
	static const struct option long_options[] = {
	    {"report", required_argument, NULL, 'r'},
	    {"output", required_argument, NULL, 'o'},
	    {"option", required_argument, NULL, 'O'},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	int found;

	while ((found = getopt_long(argc, argv, "+:r:o:O:h", long_options, NULL)) != -1) {
		switch (found) {
		case 'r':
			if (!take_format(request, optarg))
				return OWN_EXIT_USAGE;
			break;
		case 'o':
			request->output = optarg;
			break;
		case 'O':
			if (!take_option(request, optarg))
				return OWN_EXIT_USAGE;
			break;
		case 'h':
			help();
			return -1;
		default:
			own_complain_option("run", found, argv);
			return OWN_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		own_complain("run: no command is given; see \"ownline run --help\"");
		return OWN_EXIT_USAGE;
	}
	request->command = argv + optind;
	return kernel_can() ? 0 : OWN_EXIT_USAGE;
}

/* The file is opened before the program runs, so that a bad name costs no run. */
static int open_output(const struct request *request)
{
	int fd;

	if (request->output == NULL)
		return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	fd = open(request->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		own_complain("--output %s: %s; give a file that can be written", request->output,
			     strerror(errno));
	return fd;
}

/* Returns false if a file that was asked for could not be written. */
static bool write_report(struct own_watch *watch, const struct request *request,
			 const char *program, int fd)
{
	unsigned stranger = own_load_relaxed(own_region_stranger(watch->region->header));
	int error;

	if (fd < 0 || request->format == OWN_REPORT_NONE)
		return true;
	/* A reader of the report that has gone must not change our exit status. */
	signal(SIGPIPE, SIG_IGN);
	if (stranger != 0) {
		own_complain("the library's layout version %u is not the command's %u; use a "
			     "libownline.so and an ownline of one build",
			     stranger, watch->region->header->version);
		if (own_region_map_used(watch->region) == 0 && request->format == OWN_REPORT_TEXT)
			return true;
	} else if (own_region_map_used(watch->region) == 0) {
		own_complain(
		    "\"%s\" did not load the library: it is static, set-user-ID, not for this "
		    "machine (link it with -lownline instead), or it ended before it began "
		    "(AddressSanitizer: see compatibility.md)",
		    program);
		if (request->format == OWN_REPORT_TEXT)
			return true;
	}
	/* Only now: a run that failed to start leaves the last report alone. */
	if (request->output != NULL && ftruncate(fd, 0) != 0 && errno != EINVAL)
		own_complain("--output %s: %s", request->output, strerror(errno));
	error = own_watch_report(watch, fd, request->format, (unsigned)own_option(OWN_OPTION_top));
	if (error != 0)
		own_complain("cannot write the report: %s; give another --output", strerror(error));
	return error == 0 || error == EPIPE || request->output == NULL;
}

static int run(struct request *request)
{
	static struct own_region_map region;
	static struct own_watch watch;
	char library[PATH_MAX];
	char region_text[96];
	struct own_child child;
	struct own_launch launch;
	int output = open_output(request);
	int status;

	if (output < 0 && request->output != NULL)
		return OWN_EXIT_USAGE;
	if (!own_launch_find_library(library, sizeof(library)))
		return OWN_EXIT_USAGE;
	status = own_region_map_create(&region);
	if (status != 0) {
		own_complain("cannot make the counters' memory: %s; raise ulimit -n, -f or -v",
			     strerror(status));
		return OWN_EXIT_CANNOT_EXECUTE;
	}
	own_region_map_describe(&region, region_text, sizeof(region_text));
	launch = (struct own_launch){
	    .command = request->command,
	    .library = library,
	    .region = region_text,
	    .options = request->options,
	    .region_fd = region.fd,
	};
	status = own_launch_start(&child, &launch);
	if (status != 0)
		return status;
	watch.region = &region;
	watch.child = child.pid;
	own_launch_wait(&child, own_watch_tick, &watch);
	watch.child_ended = true;
	watch.child_status = child.status;
	status = own_launch_exit_status(&child);
	if (!write_report(&watch, request, launch.command[0], output) && status == 0)
		status = OWN_EXIT_USAGE;
	own_watch_end(&watch);
	return status;
}

int own_command_run(int argc, char **argv)
{
	struct request request = {.format = OWN_REPORT_TEXT};
	int status;

	if (!take_environment(&request))
		return OWN_EXIT_USAGE;
	status = parse(&request, argc, argv);
	/* The launcher reports; the program would do so a second time, and in a stream of its own.
	 */
	if (status == 0 && request.options != NULL && !append_option(&request, "report=none"))
		status = OWN_EXIT_USAGE;
	if (status == 0)
		status = run(&request);
	else if (status < 0)
		status = own_finish_output();
	free(request.options);
	return status;
}
