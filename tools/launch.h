/* Starts a program with the library preloaded, passes signals on, and waits for its end. */
#ifndef OWN_TOOLS_LAUNCH_H
#define OWN_TOOLS_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OWN_LIBRARY_ENVIRONMENT "OWNLINE_LIBRARY"

struct own_launch {
	char **command;	     /* NULL-terminated */
	const char *library; /* absolute path */
	const char *region;  /* value of OWN_REGION_ENVIRONMENT */
	const char *options; /* value of OWN_OPTIONS_ENVIRONMENT, NULL: none */
	int region_fd;
};

struct own_child {
	pid_t pid;
	int status;	 /* of waitpid */
	bool tty;	 /* there is a controlling terminal: stop together with the program */
	sigset_t waited; /* the signals taken by sigtimedwait */
	struct sigaction old_chld; /* what the program is to inherit */
};

/*
 * Finds libownline.so: OWN_LIBRARY_ENVIRONMENT, else beside the command's own place. Complains and
 * returns false if it is not there.
 */
bool own_launch_find_library(char *path, size_t size);

/* Finds another of our files for LD_PRELOAD by its name, beside the command's own place. */
bool own_launch_find_helper(const char *name, char *path, size_t size);

/* Puts a library in front of what LD_PRELOAD holds. */
bool own_launch_preload(const char *library);

/*
 * Starts the program. Returns 0, or the exit status after a complaint. From here on the launcher
 * has the signals blocked that own_launch_wait passes on.
 */
int own_launch_start(struct own_child *child, const struct own_launch *launch);

/*
 * Passes signals on until the program ends; calls `tick` about five times a second.
 */
void own_launch_wait(struct own_child *child, void (*tick)(void *context), void *context);

/* The exit status that stands for child->status. */
int own_launch_exit_status(const struct own_child *child);

#endif
