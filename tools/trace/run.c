/* The course of one tracing: open, let the target run, report while and after it does. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tools/commands.h"
#include "command.h"
#include "trace.h"
#include "unwind.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Own failures end with this status, like bad usage; the command's own status passes through. */
#define STATUS_FAILED 2

/* So long the first stacks of a process go by frame pointers alone. */
#define POLL_SYMBOLS_S 0.005
#define POLL_ASKED_S   0.001

struct run {
	const struct own_trace_options *options;
	struct own_trace_session *session;
	struct own_trace_symbols *symbols;
	struct own_trace_unwinder *unwinder;
	struct own_trace_signals signals;
	struct own_trace_child child;
	FILE *stream;
	bool reported; /* the stream holds a report of ours */
	double started_s;
	double next_report_s;
	int pidfd;
	bool asked; /* the BPF side has just asked for a step, and may ask for the next one */
	bool done;
};

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int report(struct run *run, bool final)
{
	struct own_trace_result result = {.final = final,
					  .seconds = now_s() - run->started_s,
					  .cpus = sysconf(_SC_NPROCESSORS_ONLN)};
	struct own_trace_report report = {run->options, run->session, &result, run->symbols};
	int error;

	if (final)
		own_trace_stop(run->session);
	error = own_trace_collect(run->session, &result);
	if (run->symbols) {
		own_trace_symbols_poll(run->symbols);
		own_trace_merge_sites(&result, run->symbols);
	}
	/* Only now: a trace that failed to start leaves the last report alone. */
	if (!error && run->options->output && !run->reported &&
	    ftruncate(fileno(run->stream), 0) != 0 && errno != EINVAL)
		error = errno;
	run->reported = true;
	if (error)
		own_complain("trace: cannot read the counters: %s", strerror(error));
	else if (run->options->json)
		own_trace_write_json(run->stream, &report);
	else {
		/* Beside a command that uses the same terminal nothing is wiped. */
		if (!final && run->options->target != OWN_TRACE_COMMAND &&
		    isatty(fileno(run->stream)))
			fputs("\033[H\033[J", run->stream);
		own_trace_write_text(run->stream, &report);
		if (!final)
			putc('\n', run->stream);
	}
	own_trace_result_free(&result);
	if (!error && (fflush(run->stream) != 0 || ferror(run->stream))) {
		error = errno;
		own_complain("trace: cannot write the report: %s; give another --output",
			     strerror(error));
	}
	return error;
}

static int open_output(struct run *run)
{
	const char *path = run->options->output;
	int fd;

	if (!path) {
		run->stream = run->options->target == OWN_TRACE_COMMAND ? stderr : stdout;
		return 0;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	run->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (run->stream)
		return 0;
	own_complain("trace: cannot write %s: %s; name a file in a writable folder", path,
		     strerror(errno));
	return STATUS_FAILED;
}

static int start_command(struct run *run)
{
	char **command = run->options->command;
	int error = own_trace_child_start(&run->child, run->session, &run->signals, command);

	if (error) {
		own_complain("trace: cannot fork: %s; end processes or raise ulimit -u",
			     strerror(error));
		return STATUS_FAILED;
	}
	if (run->symbols)
		own_trace_symbols_follow(run->symbols, run->child.pid);
	run->started_s = now_s();
	error = own_trace_child_go(&run->child);
	if (!error)
		return 0;
	if (error == ENOENT || error == ENOTDIR) {
		own_complain("trace: cannot run %s: %s; check its name, PATH, and its interpreter",
			     command[0], strerror(error));
		return 127;
	}
	own_complain("trace: cannot run %s: %s; check its permissions and format", command[0],
		     strerror(error));
	return 126;
}

static int start_process(struct run *run)
{
	pid_t pid = run->options->pid;
	int error;

	if (!own_trace_sees_real_pids(run->session)) {
		own_complain("trace: -p does not work from inside a PID namespace; run it "
			     "on the host, or use -- COMMAND");
		return STATUS_FAILED;
	}
	run->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	error = run->pidfd < 0 ? errno : own_trace_follow_process(run->session, pid);
	if (!error)
		return 0;
	own_complain("trace: cannot follow process %d: %s; -p wants the PID of a process "
		     "that runs",
		     pid, error == ENOENT || error == ESRCH ? "there is none" : strerror(error));
	return STATUS_FAILED;
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (run->options->target != OWN_TRACE_COMMAND)
			run->done |= info.ssi_signo != SIGUSR1 && info.ssi_signo != SIGUSR2;
		else if (info.ssi_code <= 0)
			/* What a terminal sends goes to the command as well, without us. */
			kill(run->child.pid, (int)info.ssi_signo);
	}
	if (run->options->target == OWN_TRACE_COMMAND) {
		own_trace_child_reap(&run->child);
		run->done |= run->child.ended;
	}
}

static int poll_timeout(const struct run *run)
{
	const struct own_trace_options *options = run->options;
	double until = -1, now = now_s();

	if (options->interval_s > 0)
		until = run->next_report_s;
	if (options->duration_s > 0 && (until < 0 || run->started_s + options->duration_s < until))
		until = run->started_s + options->duration_s;
	if (run->symbols && (until < 0 || now + POLL_SYMBOLS_S < until))
		until = now + (run->asked ? POLL_ASKED_S : POLL_SYMBOLS_S);
	if (until < 0)
		return -1;
	if (until <= now)
		return 0;
	return until - now > 3600 ? 3600 * 1000 : (int)((until - now) * 1000 + 0.999);
}

static void poll_sites(struct run *run)
{
	if (run->symbols)
		own_trace_symbols_poll(run->symbols);
	if (run->unwinder)
		run->asked = own_trace_unwinder_poll(run->unwinder);
}

static void loop(struct run *run)
{
	const struct own_trace_options *options = run->options;

	run->next_report_s = run->started_s + options->interval_s;
	while (!run->done) {
		struct pollfd fds[] = {
		    {.fd = run->signals.fd, .events = POLLIN},
		    {.fd = run->pidfd, .events = POLLIN},
		};
		double now;

		poll(fds, 2, poll_timeout(run));
		take_signals(run);
		if (run->pidfd >= 0 && fds[1].revents)
			run->done = true;
		poll_sites(run);
		now = now_s();
		if (options->duration_s > 0 && now >= run->started_s + options->duration_s)
			run->done = true;
		if (!run->done && options->interval_s > 0 && now >= run->next_report_s) {
			report(run, false);
			run->next_report_s = now + options->interval_s;
		}
	}
}

static int check(const struct own_trace_session *session)
{
	const char *reason = own_trace_lock_reason(session);

	switch (own_trace_lock_source(session)) {
	case OWN_TRACE_LOCK_FENTRY:
		printf("ownline trace works here; bucket lock: every acquisition\n");
		break;
	case OWN_TRACE_LOCK_CONTENTION:
		printf("ownline trace works here; bucket lock: contended acquisitions only (%s)\n",
		       reason);
		break;
	default:
		printf("ownline trace works here; bucket lock: not measured (%s)\n", reason);
	}
	return 0;
}

static int run_session(struct run *run)
{
	const struct own_trace_options *options = run->options;
	int error = own_trace_signals_take(&run->signals);
	int status = 0;

	if (error) {
		own_complain("trace: cannot take signals: %s", strerror(error));
		return STATUS_FAILED;
	}
	if (options->by & OWN_TRACE_BY_SITE) {
		run->symbols = own_trace_symbols_open(options);
		if (!run->symbols)
			return STATUS_FAILED;
		run->unwinder = own_trace_unwinder_open(run->session, run->symbols);
	}
	run->started_s = now_s();
	if (options->target == OWN_TRACE_COMMAND)
		status = start_command(run);
	else if (options->target == OWN_TRACE_PID)
		status = start_process(run);
	if (status)
		return status;
	loop(run);
	return report(run, true) ? STATUS_FAILED : 0;
}

int own_trace_main(const struct own_trace_options *options)
{
	struct run run = {.options = options, .pidfd = -1, .signals.fd = -1};
	struct own_trace_failure failure;
	int status = options->check ? 0 : open_output(&run);

	if (status)
		return status;
	run.session = own_trace_open(options, &failure);
	if (!run.session) {
		own_complain("trace: %s", failure.text);
		status = STATUS_FAILED;
	} else {
		status = options->check ? check(run.session) : run_session(&run);
	}
	if (run.unwinder)
		own_trace_unwinder_close(run.unwinder);
	if (run.symbols)
		own_trace_symbols_close(run.symbols);
	own_trace_close(run.session);
	if (options->output && run.stream && fclose(run.stream) != 0 && !status) {
		own_complain("trace: cannot write %s: %s; give another --output", options->output,
			     strerror(errno));
		status = STATUS_FAILED;
	}
	if (run.child.ended) {
		int imitated = own_trace_child_imitate(&run.child);

		return imitated ? imitated : status;
	}
	return status;
}
