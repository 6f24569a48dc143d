/* The subcommands of the ownline command, and what they share. */
#ifndef OWN_TOOLS_COMMANDS_H
#define OWN_TOOLS_COMMANDS_H

#include "base/compiler.h"

/* Exit statuses of the command itself; the others are the program's. */
enum own_exit {
	OWN_EXIT_USAGE = 2,
	OWN_EXIT_CANNOT_EXECUTE = 126,
	OWN_EXIT_NOT_FOUND = 127,
	OWN_EXIT_SIGNAL = 128, /* plus the number of the signal */
};

#define OWN_COMMAND(name, help) int own_command_##name(int argc, char **argv);
#include "tools/commands.def"
#undef OWN_COMMAND

/* One line on stderr: "ownline: <message>". */
OWN_PRINTF(1, 2) void own_complain(const char *format, ...);

/*
 * Says what getopt_long found wrong about argv, on one line, and which --help tells more.
 * `found` is what it returned: '?' or ':' (the option string has to start with "+:"). Returns the
 * exit status.
 */
int own_complain_option(const char *command, int found, char **argv);

/* After the last line of standard output: returns 0, or 1 after a complaint if it is not written.
 */
int own_finish_output(void);

#endif
