#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"

int own_trace_signals_take(struct own_trace_signals *signals)
{
	static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};
	struct sigaction standard;

	memset(&standard, 0, sizeof(standard));
	standard.sa_handler = SIG_DFL;
	sigemptyset(&signals->mask);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&signals->mask, taken[i]);
	/* An inherited SIG_IGN would throw away the child's status. */
	sigaction(SIGCHLD, &standard, &signals->old_child);
	sigprocmask(SIG_BLOCK, &signals->mask, &signals->old_mask);
	signals->fd = signalfd(-1, &signals->mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? errno : 0;
}

static void run_child(const struct own_trace_session *session,
		      const struct own_trace_signals *signals, char **command, int go, int failed)
{
	char byte;
	int error;

	sigaction(SIGCHLD, &signals->old_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(127);
	own_trace_cookie_call(session, true);
	execvp(command[0], command);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int own_trace_child_start(struct own_trace_child *child, const struct own_trace_session *session,
			  const struct own_trace_signals *signals, char **command)
{
	int go[2], failed[2];

	memset(child, 0, sizeof(*child));
	if (pipe2(go, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(failed, O_CLOEXEC) != 0) {
		int error = errno;

		close(go[0]);
		close(go[1]);
		return error;
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(go[1]);
		run_child(session, signals, command, go[0], failed[1]);
	}
	child->go = go[1];
	child->failed = failed[0];
	close(go[0]);
	close(failed[1]);
	return child->pid < 0 ? errno : 0;
}

int own_trace_child_go(struct own_trace_child *child)
{
	int error = 0;

	if (write(child->go, "", 1) != 1)
		error = errno;
	close(child->go);
	if (!error && read(child->failed, &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(child->failed);
	if (error)
		waitpid(child->pid, &child->status, 0);
	return error;
}

void own_trace_child_reap(struct own_trace_child *child)
{
	if (!child->ended && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
}

int own_trace_child_imitate(const struct own_trace_child *child)
{
	struct rlimit no_core = {0, 0};
	sigset_t set;
	int number;

	if (WIFEXITED(child->status))
		return WEXITSTATUS(child->status);
	number = WTERMSIG(child->status);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}
