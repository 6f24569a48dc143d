/* vfork with exec, posix_spawn, system and popen work while threads contend, also from a lock's
 * owner. */
#include "support/kinds.h"
#include "support/threads.h"

#include <spawn.h>

#define THREADS 3
#define ROUNDS	20

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;

static char *const command[] = {"sh", "-c", "exit 5", NULL};

static void *contend(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void check_status(int status)
{
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 5);
}

static void check_vfork(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execve("/bin/sh", command, environ);
		_exit(1);
	}
	CHECK_SYS(pid);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	check_status(status);
}

static void check_spawn(void)
{
	int status;
	pid_t pid;

	CHECK_OK(posix_spawn(&pid, "/bin/sh", NULL, NULL, command, environ));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	check_status(status);
}

static void check_popen(void)
{
	FILE *pipe = popen("echo word; exit 5", "r");
	char line[16];

	CHECK(pipe);
	CHECK(fgets(line, sizeof(line), pipe));
	CHECK(strcmp(line, "word\n") == 0);
	check_status(pclose(pipe));
}

int main(void)
{
	struct check_thread threads[THREADS];

	check_begin();
	for (int i = 0; i < THREADS; i++)
		check_start(&threads[i], contend, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		int owned = i % 2;

		if (owned)
			CHECK_OK(pthread_mutex_lock(&mutex));
		check_vfork();
		check_spawn();
		check_status(system("exit 5"));
		check_popen();
		if (owned)
			CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	return 0;
}
