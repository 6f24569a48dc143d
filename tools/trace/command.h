/* The traced command: started stopped, let go once everything counts, ended with its own status. */
#ifndef OWN_TRACE_COMMAND_H
#define OWN_TRACE_COMMAND_H

#include <signal.h>
#include "trace.h"

struct own_trace_child {
	pid_t pid;
	int go;	    /* a byte here lets it run */
	int failed; /* the errno of a failed exec arrives here */
	bool ended;
	int status; /* of waitpid */
};

/*
 * Signals that the command may get through us are blocked, so that a signalfd can take them; the
 * child starts with what was before.
 */
struct own_trace_signals {
	sigset_t mask;
	sigset_t old_mask;
	struct sigaction old_child;
	int fd;
};

int own_trace_signals_take(struct own_trace_signals *signals);

/* Forks. 0 or a positive errno. */
int own_trace_child_start(struct own_trace_child *child, const struct own_trace_session *session,
			  const struct own_trace_signals *signals, char **command);
/* Lets it execute the command. 0, or the errno of a failed exec: the child is gone then. */
int own_trace_child_go(struct own_trace_child *child);
/* Takes its status if it has ended. */
void own_trace_child_reap(struct own_trace_child *child);
/* Ends this process as the child ended: returns its exit status, or dies of the same signal. */
int own_trace_child_imitate(const struct own_trace_child *child);

#endif
