/* The subcommands of `ownline`. Each gets its own name as argv[0] and returns the exit status. */
#ifndef OWN_TOOLS_TOOLS_H
#define OWN_TOOLS_TOOLS_H

int own_tool_run(int argc, char **argv);
int own_tool_options(int argc, char **argv);
int own_tool_trace(int argc, char **argv);

#endif
