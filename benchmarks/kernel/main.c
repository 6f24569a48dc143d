/*
 * own-kernel-bench: the jobs of its arguments, or, as process 1 of a guest, those of the kernel's
 * command line. Static, so that the same program runs under any kernel.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static void complain(const char *format, va_list list)
{
	fputs("own-kernel-bench: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
}

void own_usage(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain(format, list);
	va_end(list);
	_exit(2);
}

void own_fault(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain(format, list);
	va_end(list);
	_exit(1);
}

static const struct test {
	const char *name;
	void (*run)(const struct own_job *job);
	const char *help;
} tests[] = {
    {"syscall", own_test_exact, "the cheapest system call: what entering and leaving costs"},
    {"wait-mismatched", own_test_exact, "FUTEX_WAIT on a word that has another value"},
    {"wait-expired", own_test_exact, "FUTEX_WAIT that matches, is queued, and is too late"},
    {"wake-nobody", own_test_exact, "FUTEX_WAKE on a word on which nobody waits"},
    {"bounce", own_test_exact, "a turn of two threads that wake and wait on one word"},
    {"contend", own_test_contend,
     "threads=N threads, pinned, wait seconds=S on words=same|apart;\n"
     "                  mismatched=PERCENT of the waits mismatch, the others expire"},
    {"workload", own_test_workload,
     "run=NAME+ARGUMENT+... of own-workload over library=glibc|ownline,\n"
     "                  for seconds=S, pin=1 or 0"},
};

static void print_help(void)
{
	puts("Usage: own-kernel-bench JOB...\n"
	     "Measures futex operations of the running kernel; a JOB is TEST[,KEY=VALUE]...\n"
	     "Each prints a line: RESULT test=TEST key=value ... unit=ns|ops/s value=NUMBER\n\n"
	     "  --help   this text\n\nTests:");
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("  %-15s %s\n", tests[i].name, tests[i].help);
	puts(
	    "\nThe first five take batches=N and operations=N and print the median batch. All but\n"
	    "workload take hash=auto (default: a second thread, and the hash that the kernel "
	    "gives),\n"
	    "none (one thread), global, or a number of slots, a power of two (Linux 6.17).\n"
	    "Exit status: 0 measured, 1 something went wrong, 2 wrong usage.");
}

static const struct test *find_test(const char *name)
{
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (strcmp(tests[i].name, name) == 0)
			return &tests[i];
	}
	own_usage("no test '%s'; --help lists them", name);
}

static void run_job(char *text)
{
	struct own_job job;

	own_job_parse(&job, text);
	find_test(job.test)->run(&job);
	fflush(stdout);
	_exit(0);
}

/* 0, or the exit status that the job deserves. */
static int run_in_child(char *text)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		own_fault("fork: %s", strerror(errno));
	if (child == 0)
		run_job(text);
	if (waitpid(child, &status, 0) != child)
		own_fault("waitpid: %s", strerror(errno));
	if (WIFSIGNALED(status)) {
		printf("FAULT killed by signal %d\n", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

static void print_kernel(void)
{
	struct utsname names;

	if (uname(&names) == 0)
		printf("KERNEL release=%s machine=%s cpus=%ld\n", names.release, names.machine,
		       sysconf(_SC_NPROCESSORS_ONLN));
}

static int run_guest(void)
{
	char *rest = NULL;
	int worst = 0;

	for (char *job = strtok_r(own_guest_begin(), ";", &rest); job;
	     job = strtok_r(NULL, ";", &rest)) {
		int status = run_in_child(job);

		worst = status > worst ? status : worst;
	}
	own_guest_end(worst);
}

int main(int argc, char **argv)
{
	int worst = 0;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		print_help();
		return 0;
	}
	if (argc > 1 && argv[1][0] == '-')
		own_usage("unknown option '%s'; see own-kernel-bench --help", argv[1]);
	print_kernel();
	if (getpid() == 1)
		return run_guest();
	if (argc < 2)
		own_usage("name a job; own-kernel-bench --help lists the tests");
	for (int i = 1; i < argc; i++) {
		int status = run_in_child(argv[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}
