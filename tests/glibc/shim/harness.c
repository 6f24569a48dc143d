#include "harness.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static atomic_int *failures; /* shared with the test's children */
static pid_t child;
static const char *temporary[16];

static void say_failure(const char *file, int line, const char *format, va_list arguments)
{
	printf("%s:%d: ", file, line);
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
}

int shim_failed(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_failure(file, line, format, arguments);
	va_end(arguments);
	atomic_fetch_add(failures, 1);
	return 1;
}

void shim_exit(int status, const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_failure(file, line, format, arguments);
	va_end(arguments);
	if (status != 0 && status != EXIT_UNSUPPORTED)
		atomic_fetch_add(failures, 1);
	exit(status);
}

static void *exit_later(void *seconds)
{
	struct timespec rest = {.tv_sec = (time_t)(intptr_t)seconds};

	while (nanosleep(&rest, &rest) != 0)
		;
	exit(0);
}

void delayed_exit(int seconds)
{
	(void)xpthread_create(NULL, exit_later, (void *)(intptr_t)seconds);
}

pthread_t xpthread_create(pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
	pthread_t thread;

	SHIM_SUCCEED(pthread_create(&thread, attributes, function, argument));
	return thread;
}

void *xpthread_join(pthread_t thread)
{
	void *result;

	SHIM_SUCCEED(pthread_join(thread, &result));
	return result;
}

pid_t xfork(void)
{
	pid_t pid = fork();

	TEST_VERIFY_EXIT(pid >= 0);
	return pid;
}

pid_t xwaitpid(pid_t pid, int *status, int flags)
{
	pid_t result = waitpid(pid, status, flags);

	TEST_VERIFY_EXIT(result >= 0);
	return result;
}

void *xmmap(void *address, size_t length, int protection, int flags, int fd)
{
	void *result = mmap(address, length, protection, flags, fd, 0);

	TEST_VERIFY_EXIT(result != MAP_FAILED);
	return result;
}

void xmunmap(void *address, size_t length)
{
	TEST_VERIFY_EXIT(munmap(address, length) == 0);
}

void xwrite(int fd, const void *data, size_t length)
{
	TEST_VERIFY_EXIT(write(fd, data, length) == (ssize_t)length);
}

void *xmalloc(size_t size)
{
	void *block = malloc(size);

	TEST_VERIFY_EXIT(block != NULL);
	return block;
}

void add_temp_file(const char *name)
{
	for (size_t i = 0; i < sizeof(temporary) / sizeof(temporary[0]); i++) {
		if (temporary[i] == NULL) {
			temporary[i] = strdup(name);
			return;
		}
	}
	shim_exit(1, __FILE__, __LINE__, "too many temporary files");
}

static void remove_temporary(void)
{
	for (size_t i = 0; i < sizeof(temporary) / sizeof(temporary[0]); i++) {
		if (temporary[i] != NULL)
			unlink(temporary[i]);
	}
}

int create_temp_file(const char *base, char **name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%sXXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
		 base);
	fd = mkstemp(path);
	TEST_VERIFY_EXIT(fd >= 0);
	add_temp_file(path);
	if (name != NULL)
		*name = strdup(path);
	return fd;
}

bool support_mutex_pi_monotonic(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	struct timespec now = xclock_now(CLOCK_MONOTONIC);
	int result;

	xpthread_mutexattr_init(&attributes);
	xpthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	xpthread_mutex_init(&mutex, &attributes);
	result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &now);
	return result == 0;
}

static void time_is_up(int signal_number)
{
	(void)signal_number;
	kill(-child, SIGKILL);
	static const char text[] = "not done in time: a hang\n";

	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(124);
}

static int judge(int status, const struct shim_test *test)
{
	if (WIFSIGNALED(status)) {
		if (WTERMSIG(status) == test->expected_signal)
			return 0;
		printf("ended by signal %d\n", WTERMSIG(status));
		return 1;
	}
	if (WEXITSTATUS(status) == EXIT_UNSUPPORTED)
		return EXIT_UNSUPPORTED;
	if (test->expected_signal != 0 || WEXITSTATUS(status) != test->expected_status) {
		printf("ended with status %d\n", WEXITSTATUS(status));
		return 1;
	}
	return atomic_load(failures) != 0;
}

int shim_main(int argc, char **argv, const struct shim_test *test)
{
	const char *factor = getenv("TIMEOUTFACTOR");
	int status;

	(void)argc;
	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	failures = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (failures == MAP_FAILED)
		return 1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		exit(test->function());
	}
	if (child < 0)
		return 1;
	signal(SIGALRM, time_is_up);
	alarm((unsigned)(test->timeout * (factor != NULL ? atoi(factor) : 1)));
	while (waitpid(child, &status, 0) != child)
		;
	kill(-child, SIGKILL); /* whom the test left */
	remove_temporary();
	return judge(status, test);
}
