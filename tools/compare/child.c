/*
 * One run of the command, until it and all that it started have ended. We are the subreaper: what
 * loses its parent becomes ours, so that its CPU time is counted, and that nothing runs on beside
 * the next run.
 */
#include "tools/compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* So long may what the command has left behind end by itself, or after SIGTERM. */
#define GRACE_MS 500
#define TERM_MS	 1000
#define KILL_MS	 200
#define KILLS	 20

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static sigset_t taken;
static sigset_t old_mask;
static struct sigaction old_child;
static int told_to_end;

struct running {
	pid_t pid;
	bool ended;
	bool alone; /* no child is left */
	int status;
	double end_s;
	struct own_compare_run *run;
};

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void own_children_prepare(void)
{
	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		sigaddset(&taken, endings[i]);
	sigprocmask(SIG_BLOCK, &taken, &old_mask);
	/* Where SIGCHLD is ignored, an ended child leaves no status. */
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &old_child);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Takes a signal, waiting at most so long (-1: for ever). */
static void take_signal(long milliseconds)
{
	struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	siginfo_t info;
	int number =
	    milliseconds < 0 ? sigwaitinfo(&taken, &info) : sigtimedwait(&taken, &info, &limit);

	if (number > 0 && number != SIGCHLD)
		told_to_end = number;
}

int own_children_interrupted(void)
{
	take_signal(0);
	return told_to_end;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Takes all that have ended; what they used includes their own children's, if they waited for them.
 */
static void reap(struct running *running)
{
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
		running->run->user_s += seconds(&used.ru_utime);
		running->run->system_s += seconds(&used.ru_stime);
		running->run->voluntary += used.ru_nvcsw;
		running->run->involuntary += used.ru_nivcsw;
		if (pid == running->pid) {
			running->end_s = now_s();
			running->ended = true;
			running->status = status;
		}
	}
	running->alone = pid < 0;
}

/* Our children, by their number; `number` 0 only counts them. */
static unsigned signal_children(int number)
{
	char path[64];
	unsigned count = 0;
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	while (fscanf(file, "%d", &pid) == 1) {
		count++;
		kill(pid, number);
	}
	fclose(file);
	return count;
}

/* Whether all have ended within so long. */
static bool wait_for_all(struct running *running, long milliseconds)
{
	double until = now_s() + (double)milliseconds / 1e3;
	double left;

	for (;;) {
		reap(running);
		left = until - now_s();
		if (running->alone || left <= 0)
			return running->alone;
		take_signal((long)(left * 1e3) + 1);
	}
}

/*
 * What is killed leaves its own children to us, so this goes on until nobody is left. They cannot
 * be mistaken for others: a child that we have not waited for keeps its number.
 */
static void end_all(struct running *running)
{
	if (!told_to_end && wait_for_all(running, GRACE_MS))
		return;
	running->run->left = signal_children(SIGTERM);
	if (wait_for_all(running, TERM_MS))
		return;
	for (int i = 0; i < KILLS; i++) {
		signal_children(SIGKILL);
		if (wait_for_all(running, KILL_MS))
			return;
	}
}

/* In the child. Returns only on failure, with the errno. */
static int become_command(const struct own_child_request *request)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(request->output, STDOUT_FILENO) < 0 || dup2(request->output, STDERR_FILENO) < 0 ||
	    !own_variant_enter(request->variant, request->probe))
		return errno;
	if (request->tracer != NULL)
		own_tracer_follow(request->tracer);
	execvp(request->command[0], request->command);
	return errno;
}

static void run_child(const struct own_child_request *request, pid_t parent, int go, int fault)
{
	char byte;
	int error;

	/* A group of its own: Ctrl-C is for us, who then end the run in an orderly way. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGCHLD, &old_child, NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	if (getppid() != parent || read(go, &byte, 1) != 1)
		_exit(1);
	error = become_command(request);
	if (write(fault, &error, sizeof(error)) != sizeof(error))
		_exit(1);
	_exit(1);
}

static int start(const struct own_child_request *request, struct running *running, int *go,
		 int *fault)
{
	int going[2];
	int faults[2];
	pid_t parent = getpid();

	if (pipe2(going, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(faults, O_CLOEXEC) != 0) {
		int error = errno;

		close(going[0]);
		close(going[1]);
		return error;
	}
	running->pid = fork();
	if (running->pid == 0) {
		close(going[1]);
		run_child(request, parent, going[0], faults[1]);
	}
	*go = going[1];
	*fault = faults[0];
	close(going[0]);
	close(faults[1]);
	return running->pid < 0 ? errno : 0;
}

int own_child_run(const struct own_child_request *request, struct own_compare_run *run,
		  struct own_child_end *end)
{
	struct running running = {.run = run};
	int go = -1;
	int fault = -1;
	double start_s;
	int error = start(request, &running, &go, &fault);

	memset(end, 0, sizeof(*end));
	if (error != 0) {
		close(go);
		close(fault);
		return error;
	}
	start_s = now_s();
	if (write(go, "", 1) != 1)
		kill(running.pid, SIGKILL);
	close(go);
	/* Ends with the execution of the command, or with its failure. */
	while (read(fault, &end->exec_error, sizeof(end->exec_error)) < 0 && errno == EINTR)
		;
	close(fault);
	for (reap(&running); !running.ended; reap(&running)) {
		if (told_to_end)
			break;
		take_signal(-1);
	}
	end_all(&running);
	run->wall_s = running.end_s - start_s;
	end->status = running.status;
	end->interrupted = told_to_end;
	return 0;
}
