#include "tools/commands.h"

#include <getopt.h>
#include <ownline/version.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
#define OWN_COMMAND(name, help) {#name, own_command_##name, help},
#include "tools/commands.def"
#undef OWN_COMMAND
};

void own_complain(const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	/* What a user typed may hold anything; a fault is one line all the same. */
	for (char *at = line; *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	fprintf(stderr, "ownline: %s\n", line);
}

int own_complain_option(const char *command, int found, char **argv)
{
	const char *given = argv[optind - 1];

	if (optopt > 0 && optopt < 256 && strncmp(given, "--", 2) != 0)
		own_complain("%s: option -%c %s; see \"ownline %s --help\"", command, optopt,
			     found == ':' ? "needs a value" : "is not known", command);
	else
		own_complain("%s: option %s %s; see \"ownline %s --help\"", command, given,
			     found == ':' ? "needs a value" : "is not known or takes no value",
			     command);
	return OWN_EXIT_USAGE;
}

static void help(void)
{
	printf(
	    "usage: ownline COMMAND [ARGUMENTS...]\n"
	    "\n"
	    "Mutexes and condition variables whose every futex word has a cacheline of its own,\n"
	    "and a report of how the waits of a program ended.\n"
	    "\n"
	    "commands:\n");
	for (size_t i = 0; i < own_array_size(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\n"
	       "\"ownline COMMAND --help\" tells more about one; \"ownline --version\" the "
	       "version.\n"
	       "The manual: ownline(1), and ownline(7) for linking and native locks.\n");
}

int own_finish_output(void)
{
	if (fflush(stdout) == 0)
		return 0;
	own_complain("cannot write to standard output; is the disk full?");
	return 1;
}

int main(int argc, char **argv)
{
	bool wants_version;

	if (argc < 2) {
		own_complain("no command is given; \"ownline --help\" lists them");
		return OWN_EXIT_USAGE;
	}
	wants_version = strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0;
	if (wants_version || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		if (argc > 2) {
			own_complain("%s takes no argument; leave out \"%.40s\"", argv[1], argv[2]);
			return OWN_EXIT_USAGE;
		}
		if (wants_version)
			printf("ownline %s\n", OWNLINE_VERSION);
		else
			help();
		return own_finish_output();
	}
	for (size_t i = 0; i < own_array_size(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	own_complain("\"%.40s\" is no command; \"ownline --help\" lists them", argv[1]);
	return OWN_EXIT_USAGE;
}
