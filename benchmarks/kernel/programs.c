/* Workloads over a lock library, each a program of its own beside this one. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_WORDS 16

/* Beside this program, in a guest as on a bare machine. */
static void find_program(char *path, size_t size, const char *library)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length < 0)
		own_fault("cannot read /proc/self/exe: %s", strerror(errno));
	own[length] = '\0';
	if (snprintf(path, size, "%s/own-workload-static-%s", dirname(own), library) >= (int)size)
		own_fault("the path of the programs is too long");
	if (access(path, X_OK) != 0)
		own_fault("no program %s; build the target own-kernel-lab", path);
}

/* One line of JSON, as it comes. */
static void read_line(int descriptor, char *line, size_t size)
{
	size_t used = 0;
	ssize_t got;

	while (used < size - 1 && (got = read(descriptor, line + used, size - 1 - used)) > 0)
		used += (size_t)got;
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

static int run_program(char *const *words, char *line, size_t size)
{
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0)
		own_fault("pipe: %s", strerror(errno));
	child = fork();
	if (child < 0)
		own_fault("fork: %s", strerror(errno));
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(words[0], words);
		_exit(127);
	}
	close(ends[1]);
	read_line(ends[0], line, size);
	close(ends[0]);
	if (waitpid(child, &status, 0) != child)
		own_fault("waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void own_test_workload(const struct own_job *job)
{
	static const char *const keys[] = {"library", "run", "seconds", "pin", NULL};
	const char *library = own_job_text(job, "library", "glibc");
	const char *run = own_job_text(job, "run", NULL);
	char path[PATH_MAX], seconds[32], copy[256], line[4096];
	char pinned[] = "--pin", free_to_move[] = "--no-pin", json[] = "--json";
	char long_seconds[] = "--seconds";
	char *words[MAX_WORDS + 1] = {path, json, long_seconds, seconds};
	char *rest = NULL;
	unsigned count = 4;
	int status;

	own_job_allow(job, keys);
	if (strcmp(library, "glibc") != 0 && strcmp(library, "ownline") != 0)
		own_usage("%s: library is glibc or ownline, not '%s'", job->test, library);
	if (!run || strlen(run) >= sizeof(copy))
		own_usage("%s wants run=WORKLOAD+ARGUMENT+...", job->test);
	snprintf(seconds, sizeof(seconds), "%.3f",
		 own_job_number(job, "seconds", 0.2, 0.001, 3600));
	words[count++] = own_job_number(job, "pin", 1, 0, 1) > 0 ? pinned : free_to_move;
	snprintf(copy, sizeof(copy), "%s", run);
	for (char *word = strtok_r(copy, "+", &rest); word; word = strtok_r(NULL, "+", &rest)) {
		if (count == MAX_WORDS)
			own_usage("%s: too many arguments in '%s'", job->test, run);
		words[count++] = word;
	}
	find_program(path, sizeof(path), library);
	status = run_program(words, line, sizeof(line));
	if (status != 0)
		own_fault("%s: %s %s ended with status %d", job->test, path, run, status);
	printf("RESULT test=workload library=%s run=%s json=%s\n", library, run, line);
}
