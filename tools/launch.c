#include "tools/launch.h"

#include "config/options.h"
#include "stats/region.h"
#include "tools/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 200000000L

/* Each is passed on to the program; SIGCHLD joins them for our own use. */
static const int passed_signals[] = {
    SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,  SIGCONT,
    SIGTSTP, SIGTTIN, SIGTTOU, SIGIO,	SIGPWR,	 SIGURG,  SIGWINCH, SIGPROF,
};

static void fill_waited(sigset_t *waited)
{
	sigemptyset(waited);
	sigaddset(waited, SIGCHLD);
	for (size_t i = 0; i < own_array_size(passed_signals); i++)
		sigaddset(waited, passed_signals[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(waited, signal);
}

/* In the child, between fork and exec. Returns only on failure, with the errno. */
static int become_program(const struct own_launch *launch)
{
	int flags = fcntl(launch->region_fd, F_GETFD);

	if (flags < 0 || fcntl(launch->region_fd, F_SETFD, flags & ~FD_CLOEXEC) < 0 ||
	    !own_launch_preload(launch->library) ||
	    setenv(OWN_REGION_ENVIRONMENT, launch->region, 1) != 0 ||
	    (launch->options != NULL && setenv(OWN_OPTIONS_ENVIRONMENT, launch->options, 1) != 0))
		return errno;
	execvp(launch->command[0], launch->command);
	return errno;
}

static int complain_about_exec(const char *program, int error)
{
	if (error == ENOENT || error == ENOTDIR) {
		own_complain("cannot run \"%s\": %s; check its name, PATH, and its interpreter",
			     program, strerror(error));
		return OWN_EXIT_NOT_FOUND;
	}
	own_complain("cannot run \"%s\": %s; check its permissions and format", program,
		     strerror(error));
	return OWN_EXIT_CANNOT_EXECUTE;
}

static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int own_launch_start(struct own_child *child, const struct own_launch *launch)
{
	int fault[2]; /* carries the errno of a failed exec; closed by a successful one */
	sigset_t old;
	int error = 0;

	fill_waited(&child->waited);
	child->tty = has_terminal();
	child->status = 0;
	if (pipe2(fault, O_CLOEXEC) != 0) {
		own_complain("cannot make a pipe: %s; close files or raise ulimit -n",
			     strerror(errno));
		return OWN_EXIT_CANNOT_EXECUTE;
	}
	/* Where SIGCHLD is ignored, an ended child leaves no status. */
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &child->old_chld);
	sigprocmask(SIG_BLOCK, &child->waited, &old);
	child->pid = fork();
	if (child->pid == 0) {
		sigaction(SIGCHLD, &child->old_chld, NULL);
		sigprocmask(SIG_SETMASK, &old, NULL);
		error = become_program(launch);
		if (write(fault[1], &error, sizeof(error)) != sizeof(error))
			_exit(OWN_EXIT_NOT_FOUND);
		_exit(OWN_EXIT_CANNOT_EXECUTE);
	}
	close(fault[1]);
	if (child->pid < 0) {
		own_complain("cannot fork: %s; end processes or raise ulimit -u", strerror(errno));
		close(fault[0]);
		return OWN_EXIT_CANNOT_EXECUTE;
	}
	while (read(fault[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(fault[0]);
	if (error == 0)
		return 0;
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
	return complain_about_exec(launch->command[0], error);
}

/*
 * The terminal sends its signals to the whole foreground group, so the program has got them
 * already, unless it made a group of its own.
 */
static bool program_has_it(const struct own_child *child, const siginfo_t *info)
{
	return info->si_code == SI_KERNEL && getpgid(child->pid) == getpgrp();
}

static void pass_on(const struct own_child *child, const siginfo_t *info)
{
	if (info->si_pid == child->pid || program_has_it(child, info))
		return;
	if (info->si_signo >= SIGRTMIN)
		sigqueue(child->pid, info->si_signo, info->si_value);
	else
		kill(child->pid, info->si_signo);
}

/* Returns true once the program has ended. */
static bool reap(struct own_child *child)
{
	int status;

	while (waitpid(child->pid, &status, WNOHANG | WUNTRACED) == child->pid) {
		if (!WIFSTOPPED(status)) {
			child->status = status;
			return true;
		}
		/* By the terminal: the shell wants its foreground job stopped as a whole. A program
		   that was stopped otherwise may be continued without anybody telling us. */
		if (child->tty && (WSTOPSIG(status) == SIGTSTP || WSTOPSIG(status) == SIGTTIN ||
				   WSTOPSIG(status) == SIGTTOU))
			raise(SIGSTOP);
	}
	return false;
}

void own_launch_wait(struct own_child *child, void (*tick)(void *context), void *context)
{
	static const struct timespec tick_time = {0, TICK_NS};
	siginfo_t info;

	/* A program may end before the first signal is waited for, and SIGCHLD be ignored. */
	while (!reap(child)) {
		int signal = sigtimedwait(&child->waited, &info, &tick_time);

		if (signal > 0 && signal != SIGCHLD)
			pass_on(child, &info);
		tick(context);
	}
}

int own_launch_exit_status(const struct own_child *child)
{
	if (WIFSIGNALED(child->status))
		return OWN_EXIT_SIGNAL + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}
