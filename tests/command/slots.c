/*
 * slots STEPS: prints how many slots the kernel's private futex hash has, where STEPS says so:
 *   p  print; t  make a thread; f  fork, and go on in the child
 * With SLOTS_GLOBAL_EARLY set it gives the hash up for good before any library is started.
 *
 * slots --without ERROR COMMAND...: runs COMMAND as on a kernel whose prctl(PR_FUTEX_HASH) fails
 * with the errno ERROR; with 0 it only says whether this kernel has a private hash: status 0 or 1.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUTEX_HASH 78 /* PR_FUTEX_HASH, which older headers lack */
#define SET_SLOTS  1
#define GET_SLOTS  2

static void at_preinit(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	for (; *environment; environment++) {
		if (strncmp(*environment, "SLOTS_GLOBAL_EARLY=", 19) == 0)
			(void)prctl(FUTEX_HASH, SET_SLOTS, 0UL, 0UL, 0UL);
	}
}

typedef void preinit_function(int, char **, char **);

__attribute__((section(".preinit_array"), used)) static preinit_function *preinit = at_preinit;

static void refuse_futex_hash(unsigned error)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_HASH, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("slots: no seccomp filter");
		exit(77);
	}
}

static void *sleep_on(void *unused)
{
	(void)unused;
	pause();
	return NULL;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
		exit(99);
}

static void fork_on(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		return;
	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(99);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "--without") == 0) {
		unsigned error = (unsigned)strtoul(argv[2], NULL, 10);

		if (error == 0)
			return prctl(FUTEX_HASH, GET_SLOTS, 0UL, 0UL, 0UL) < 0;
		refuse_futex_hash(error);
		execvp(argv[3], argv + 3);
		return 127;
	}
	for (const char *step = argc == 2 ? argv[1] : ""; *step; step++) {
		if (*step == 't')
			make_thread();
		else if (*step == 'f')
			fork_on();
		else
			printf("%d\n", prctl(FUTEX_HASH, GET_SLOTS, 0UL, 0UL, 0UL));
	}
	return 0;
}
