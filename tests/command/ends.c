/*
 * ends HOW: waits once for a mutex, in every process that it makes, and ends in the way asked for.
 * It knows plain POSIX threads only; what its waits are counted as is the launcher's business.
 */
#include "support/threads.h"

#include <sys/wait.h>

static pthread_mutex_t contended_mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_mutex(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&contended_mutex);
	pthread_mutex_unlock(&contended_mutex);
	return NULL;
}

/* The other thread waits in the kernel, for 20 ms at least. */
static void contend(void)
{
	struct check_thread waiter;

	pthread_mutex_lock(&contended_mutex);
	check_start(&waiter, wait_for_mutex, NULL);
	check_await_asleep(&waiter);
	check_sleep_ms(20);
	pthread_mutex_unlock(&contended_mutex);
	check_join(&waiter);
}

static void wait_for_children(void)
{
	while (wait(NULL) > 0)
		;
}

static void fork_one(void)
{
	if (fork() == 0) {
		contend();
		_exit(0);
	}
	wait_for_children();
}

static void on_signal(int number)
{
	char line[32];
	int length = snprintf(line, sizeof(line), "got %d\n", number);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(98);
}

/* Says which signals come, until SIGTERM. */
static int take_signals(void)
{
	const int numbers[] = {SIGHUP,	SIGINT,	  SIGQUIT,  SIGUSR1,  SIGUSR2,
			       SIGALRM, SIGWINCH, SIGRTMIN, SIGRTMAX, SIGTERM};
	sigset_t set;
	int number;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		signal(numbers[i], on_signal);
		sigaddset(&set, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	while (sigwait(&set, &number) == 0) {
		on_signal(number);
		if (number == SIGTERM)
			return 5;
	}
	return 97;
}

/*
 * What a daemon does: close what it inherited, go into the background, work there. Its parent, as
 * good ones do, ends when the daemon has started.
 */
static int become_daemon(const char *file)
{
	int ready[2];
	char byte = 0;

	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	if (pipe(ready) != 0)
		return 96;
	switch (fork()) {
	case -1:
		return 96;
	case 0:
		break;
	default:
		return read(ready[0], &byte, 1) == 1 ? 0 : 96;
	}
	setsid();
	contend();
	if (write(ready[1], &byte, 1) != 1)
		return 96;
	/* Until the launcher has reported it alive: then the test removes the file. */
	for (int i = 0; i < 6000 && access(file, F_OK) == 0; i++)
		check_sleep_ms(10);
	return 0;
}

static int load_and_wait(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	void (*call)(void (*)(void)) = NULL;

	if (handle != NULL)
		*(void **)&call = dlsym(handle, "call_through_plugin");
	if (call == NULL)
		return 94;
	call(contend);
	/* The launcher looks about five times a second; while this program is stopped it may be
	 * stopped as well, so it is given many short times. */
	for (int i = 0; i < 60; i++)
		check_sleep_ms(50);
	raise(SIGKILL);
	return 93;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *argument = argc > 2 ? argv[2] : "";

	if (strcmp(how, "quiet") == 0)
		return 0;
	if (strcmp(how, "signals") == 0)
		return take_signals();
	if (strcmp(how, "daemon") == 0)
		return become_daemon(argument);
	if (strcmp(how, "plugin") == 0)
		return load_and_wait(argument);
	contend();
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "exec") == 0)
		execl("/proc/self/exe", "next-image", "exit", NULL);
	if (strcmp(how, "fork") == 0)
		fork_one();
	if (strcmp(how, "close-fork") == 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		fork_one();
	}
	return 3;
}
