/*
 * Nanoseconds of CPU time per system call, for scripts/trace-overhead: CPU time, because other
 * programs on the machine then disturb less.
 *
 *   syscall_loop mismatch|wake|getppid COUNT
 *
 * mismatch: FUTEX_WAIT with a value that the word does not hold; wake: FUTEX_WAKE without a waiter;
 * getppid: no futex call at all.
 */
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word;

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	int operation = strcmp(kind, "wake") == 0 ? FUTEX_WAKE_PRIVATE : FUTEX_WAIT_PRIVATE;
	double start;

	if (count < 1 || (strcmp(kind, "mismatch") != 0 && strcmp(kind, "wake") != 0 &&
			  strcmp(kind, "getppid") != 0)) {
		fprintf(stderr, "usage: syscall_loop mismatch|wake|getppid COUNT\n");
		return 2;
	}
	start = cpu_ns();
	if (strcmp(kind, "getppid") == 0)
		for (long i = 0; i < count; i++)
			syscall(SYS_getppid);
	else
		for (long i = 0; i < count; i++)
			syscall(SYS_futex, &word, operation, 1, NULL, NULL, 0);
	printf("%.2f\n", (cpu_ns() - start) / (double)count);
	return 0;
}
