/*
 * Support for test programs that use pthreads alone: assertions, a deadline, skipping, options.
 *
 *	int main(void)
 *	{
 *		check_begin();
 *		CHECK_OK(pthread_mutex_lock(&mutex));
 *		CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
 *		return 0;
 *	}
 *
 * Status: 0 passed, 1 failed (file:line and both values on stderr), 2 bad option, 77 skipped (the
 * reason on stdout). A failed check ends the process by _exit: other threads may hold any lock.
 */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE: the tests use the *_np calls"
#endif

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_SKIPPED	       77
#define CHECK_DEADLINE_SECONDS 100 /* below CTest's limit, so that the message is the program's */

#define CHECK(condition)                                                                           \
	((condition) ? (void)0 : check_fail(__FILE__, __LINE__, "false: %s", #condition))

/* Integers that must be equal. */
#define CHECK_EQ(got, want)                                                                        \
	check_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))

/* Calls that return an error number. */
#define CHECK_ERR(call, want) check_error(__FILE__, __LINE__, #call, (call), (want))
#define CHECK_OK(call)	      CHECK_ERR(call, 0)

/* Calls that return -1 and set errno. */
#define CHECK_SYS(call)                                                                            \
	((call) != -1 ? (void)0 : check_fail(__FILE__, __LINE__, "%s: %s", #call, strerror(errno)))

#define check_fail(file, line, ...)                                                                \
	(fprintf(stderr, "%s:%d: ", file, line), fprintf(stderr, __VA_ARGS__),                     \
	 fputc('\n', stderr), fflush(stderr), _exit(1))

static inline void check_equal(const char *file, int line, const char *text, long long got,
			       long long want)
{
	if (got != want)
		check_fail(file, line, "%s is %lld, expected %lld", text, got, want);
}

static inline void check_error(const char *file, int line, const char *text, int got, int want)
{
	char names[2][64];

	if (got == want)
		return;
	snprintf(names[0], sizeof(names[0]), "%s", strerror(got));
	snprintf(names[1], sizeof(names[1]), "%s", strerror(want));
	check_fail(file, line, "%s returned %d (%s), expected %d (%s)", text, got, names[0], want,
		   names[1]);
}

#define check_skip(...)                                                                            \
	(printf("skipped: "), printf(__VA_ARGS__), puts(""), fflush(stdout), _exit(CHECK_SKIPPED))

static inline void check_deadline_passed(int signal_number)
{
	static const char message[] = "deadline passed: a thread or process hangs\n";

	(void)signal_number;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	_exit(1);
}

static inline void check_deadline(unsigned seconds)
{
	signal(SIGALRM, check_deadline_passed);
	alarm(seconds);
}

/* Whether pthread_mutex_lock is somebody else's than the C library's. */
static inline int check_on_ownline(void)
{
#ifdef CHECK_STATIC_OWNLINE
	return 1; /* one module: the ABI test looks into the binary instead */
#else
	Dl_info lock, libc;

	if (!dladdr((void *)(uintptr_t)pthread_mutex_lock, &lock) ||
	    !dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc))
		check_fail(__FILE__, __LINE__, "dladdr knows no module of pthread_mutex_lock");
	return lock.dli_fbase != libc.dli_fbase;
#endif
}

/*
 * CHECK_IMPLEMENTATION=glibc or ownline says whose calls the program is meant to meet: a test that
 * silently ran on the other one would prove nothing.
 */
static inline void check_implementation(void)
{
	const char *want = getenv("CHECK_IMPLEMENTATION");

	if (want && check_on_ownline() != (strcmp(want, "ownline") == 0))
		check_fail(__FILE__, __LINE__, "meant for %s, but runs on %s", want,
			   check_on_ownline() ? "ownline" : "glibc");
}

static inline void check_begin(void)
{
	check_implementation();
	check_deadline(CHECK_DEADLINE_SECONDS);
}

/* fork, with a child that dies with the calling thread and has a deadline of its own. */
static inline pid_t check_fork(void)
{
	pid_t pid = fork();

	CHECK_SYS(pid);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		check_deadline(CHECK_DEADLINE_SECONDS);
	}
	return pid;
}

#define check_reap(pid) check_reap_at(__FILE__, __LINE__, pid)

static inline void check_reap_at(const char *file, int line, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			check_fail(file, line, "waitpid: %s", strerror(errno));
	if (WIFSIGNALED(status))
		check_fail(file, line, "the child died of signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == CHECK_SKIPPED)
		_exit(CHECK_SKIPPED);
	if (WEXITSTATUS(status) != 0)
		check_fail(file, line, "the child failed with status %d", WEXITSTATUS(status));
}

#endif
