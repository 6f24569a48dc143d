/* Process 1 of a guest: nothing is mounted, and nobody but us ends it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define JOBS   "ownline.jobs="
#define SETTLE "ownline.settle="

/* The jobs of the kernel's command line, separated by semicolons. */
char *own_guest_begin(void)
{
	static char line[4096];
	ssize_t length;
	char *jobs, *settle;
	int file;

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	file = open("/proc/cmdline", O_RDONLY);
	if (file < 0)
		own_fault("cannot read /proc/cmdline");
	length = read(file, line, sizeof(line) - 1);
	close(file);
	line[length < 0 ? 0 : length] = '\0';
	jobs = strstr(line, JOBS);
	if (!jobs)
		own_fault("no " JOBS "JOB;JOB... on the kernel's command line");
	/* Stock kernels are busy with themselves for some seconds after they have started us. */
	settle = strstr(line, SETTLE);
	if (settle)
		sleep((unsigned)atoi(settle + strlen(SETTLE)));
	jobs += strlen(JOBS);
	jobs[strcspn(jobs, " \n")] = '\0';
	return jobs;
}

void own_guest_end(int status)
{
	printf("END status=%d\n", status);
	fflush(stdout);
	/* The console may still be sending. */
	sleep(1);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}
