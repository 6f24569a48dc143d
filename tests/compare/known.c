/*
 * A command whose figures are known. The first word says what it does:
 *
 *	waits N		N mismatched waits and 2 N wakes of nobody, a third of them here, a third in
 *a child, a third in an executed program; prints "done: N"
 *	turns N CALLS	two threads take N turns by a mutex and a condition variable; then CALLS
 *			mismatched waits
 *	slots		prints the slots of its futex hash with a second thread, and those of a
 *forked child and of an executed program
 *	burn MS		uses MS ms of CPU time in a grandchild that nobody waits for
 *	leave FILE	leaves a process that sleeps, its number in FILE
 *	gate FOLDER N	makes a file per run in FOLDER; the N-th run and later ones hang
 *	say TEXT STATUS	prints TEXT, ends with STATUS; a negative one is a signal
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t word;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(99);
}

static void make_calls(long count)
{
	for (long i = 0; i < count; i++) {
		check(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL) < 0 && errno == EAGAIN,
		      "wait");
		check(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1) == 0, "wake");
		check(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1) == 0, "wake");
	}
}

static void wait_for(pid_t child)
{
	int status;

	check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "child");
}

/* Another image of this program, with these words. */
static void execute(const char *first, const char *second)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", "known", first, second, (char *)NULL);
		_exit(98);
	}
	wait_for(child);
}

static void waits(long count)
{
	char third[32];
	pid_t child;

	make_calls(count / 3);
	child = fork();
	if (child == 0) {
		make_calls(count / 3);
		_exit(0);
	}
	wait_for(child);
	snprintf(third, sizeof(third), "%ld", count / 3);
	execute("calls", third);
	printf("almost done: 1\ndone: %ld\n", count);
}

static pthread_barrier_t barrier;

static void *second_thread(void *nothing)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return nothing;
}

/* While there are two threads: alone, a process has no private hash of the kernel's choice. */
static void print_slots(const char *name)
{
	pthread_t thread;

	check(pthread_barrier_init(&barrier, NULL, 2) == 0, "barrier");
	check(pthread_create(&thread, NULL, second_thread, NULL) == 0, "thread");
	pthread_barrier_wait(&barrier);
	printf("%s: %d\n", name, prctl(78 /* PR_FUTEX_HASH */, 2UL /* GET */, 0UL, 0UL, 0UL));
	fflush(stdout);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void slots(void)
{
	pid_t child;

	print_slots("here");
	child = fork();
	if (child == 0) {
		print_slots("forked");
		_exit(0);
	}
	wait_for(child);
	execute("executed", "");
}

static pthread_mutex_t turn_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_came = PTHREAD_COND_INITIALIZER;
static long turn;
static long turn_end;

/* The even turns or the odd ones. */
static void take_turns(long first)
{
	pthread_mutex_lock(&turn_mutex);
	for (long mine = first; mine < turn_end; mine += 2) {
		while (turn != mine)
			pthread_cond_wait(&turn_came, &turn_mutex);
		turn++;
		pthread_cond_broadcast(&turn_came);
	}
	pthread_mutex_unlock(&turn_mutex);
}

static void *take_odd_turns(void *nothing)
{
	take_turns(1);
	return nothing;
}

static void turns(long count, long calls)
{
	pthread_t thread;

	turn_end = count;
	check(pthread_create(&thread, NULL, take_odd_turns, NULL) == 0, "thread");
	take_turns(0);
	pthread_join(thread, NULL);
	make_calls(calls);
}

static void burn(long milliseconds)
{
	pid_t child = fork();

	if (child == 0) {
		struct timespec used = {0, 0};

		/* Orphaned at once: whoever started us has to take it. */
		if (fork() != 0)
			_exit(0);
		while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < milliseconds)
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
		_exit(0);
	}
	wait_for(child);
}

static void leave(const char *path)
{
	FILE *file = fopen(path, "w");
	pid_t child;

	check(file != NULL, path);
	signal(SIGTERM, SIG_IGN);
	child = fork();
	if (child == 0) {
		setsid();
		for (;;)
			pause();
	}
	fprintf(file, "%d\n", (int)child);
	check(fclose(file) == 0, path);
}

static void gate(const char *folder, long hanging)
{
	char path[4096];
	long number = 1;
	FILE *file = NULL;

	while (file == NULL) {
		snprintf(path, sizeof(path), "%s/%ld", folder, number++);
		file = fopen(path, "wx");
		check(file != NULL || errno == EEXIST, path);
	}
	fprintf(file, "%d\n", (int)getpid());
	check(fclose(file) == 0, path);
	while (number > hanging)
		pause();
}

static int say(const char *text, int status)
{
	fputs(text, stdout);
	fflush(stdout);
	if (status < 0) {
		raise(-status);
		return 97;
	}
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *first = argc > 2 ? argv[2] : "";

	if (strcmp(what, "waits") == 0)
		waits(atol(first));
	else if (strcmp(what, "calls") == 0)
		make_calls(atol(first));
	else if (strcmp(what, "turns") == 0 && argc == 4)
		turns(atol(first), atol(argv[3]));
	else if (strcmp(what, "slots") == 0)
		slots();
	else if (strcmp(what, "executed") == 0)
		print_slots("executed");
	else if (strcmp(what, "burn") == 0)
		burn(atol(first));
	else if (strcmp(what, "leave") == 0)
		leave(first);
	else if (strcmp(what, "gate") == 0 && argc == 4)
		gate(first, atol(argv[3]));
	else if (strcmp(what, "say") == 0 && argc == 4)
		return say(first, atoi(argv[3]));
	else
		return 96;
	return 0;
}
