/*
 * Makes futex calls whose number and outcome are known exactly, and prints them as JSON for
 * exact_counts.py. Processes share the words, so that nothing but this file makes futex calls (a
 * thread library would add its own). Where the outcome depends on the moment, as with a wake that
 * has to find its waiter, it is counted by what the call returned.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NUMBER_FUTEX_WAITV 449
#define NUMBER_FUTEX_WAKE  454
#define NUMBER_FUTEX_WAIT  455

enum { WOKEN, MISMATCH, TIMEOUT, INTERRUPTED, OTHER, OUTCOMES };

/* One futex word, alone on its line, and what happened to it, seen from user space. */
struct word {
	_Alignas(64) uint32_t value;
	uint32_t in_progress;
	uint64_t waits[OUTCOMES];
	uint64_t wakes_some, wakes_empty, wakes_failed;
	uint64_t threads_woken;
	pid_t pid; /* who called */
};

struct shared {
	struct word mismatch, mismatch_bitset, mismatch_new, mismatch_vector, timeout, woken, wake;
	struct word wake_bitset, interrupted, stopped, wrong, left;
	/* The same words as `woken` and `stopped`, called from the waking process. */
	struct word wakes_woken, wakes_stopped;
	uint64_t resumed;
	uint64_t requeues;
};

static struct shared *shared;
static struct word *compat; /* where 32 bits reach */

static void count_wait(struct word *word, long result)
{
	int outcome = OTHER;

	if (result >= 0)
		outcome = WOKEN;
	else if (errno == EAGAIN)
		outcome = MISMATCH;
	else if (errno == ETIMEDOUT)
		outcome = TIMEOUT;
	else if (errno == EINTR)
		outcome = INTERRUPTED;
	word->waits[outcome]++;
	word->pid = getpid();
}

/* Not inlined: the C library's syscall() keeps no frame, so its caller is missing in a stack. */
__attribute__((noinline)) static long wait_for(struct word *word, int operation, uint32_t expected,
					       long timeout_us)
{
	struct timespec timeout = {timeout_us / 1000000, timeout_us % 1000000 * 1000};

	return syscall(SYS_futex, &word->value, operation, expected, timeout_us ? &timeout : NULL,
		       NULL, FUTEX_BITSET_MATCH_ANY);
}

static void count_wake(struct word *word, long result)
{
	if (result < 0)
		word->wakes_failed++;
	else if (result == 0)
		word->wakes_empty++;
	else
		word->wakes_some++;
	word->threads_woken += result > 0 ? (uint64_t)result : 0;
	word->pid = getpid();
}

static long wake(struct word *word, int operation)
{
	return syscall(SYS_futex, &word->value, operation, INT_MAX, NULL, NULL,
		       FUTEX_BITSET_MATCH_ANY);
}

/* Returns once the process sleeps in that system call. */
static void until_it_sleeps(pid_t pid, long number)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (;;) {
		struct timespec pause = {0, 200000};
		FILE *file = fopen(path, "r");
		char *got = file ? fgets(line, sizeof(line), file) : NULL;

		if (file)
			fclose(file);
		if (got && strtol(line, NULL, 10) == number)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Its name is looked for among the calling sites. */
__attribute__((noinline)) static void make_mismatches(void)
{
	struct futex_waitv {
		uint64_t value, address;
		uint32_t flags, reserved;
	} vector;

	prctl(PR_SET_NAME, "mismatching");
	for (int i = 0; i < 1000; i++)
		count_wait(&shared->mismatch, wait_for(&shared->mismatch, FUTEX_WAIT, 1, 0));
	for (int i = 0; i < 100; i++)
		count_wait(&shared->mismatch_bitset,
			   wait_for(&shared->mismatch_bitset, FUTEX_WAIT_BITSET_PRIVATE, 1, 0));
	for (int i = 0; i < 50; i++) {
		long result = syscall(NUMBER_FUTEX_WAIT, &shared->mismatch_new.value, 1ul,
				      0xfffffffful, 2u /* 32 bits */, NULL, 0);

		count_wait(&shared->mismatch_new, result);
	}
	memset(&vector, 0, sizeof(vector));
	vector.value = 1;
	vector.address = (uintptr_t)&shared->mismatch_vector.value;
	vector.flags = 2;
	for (int i = 0; i < 30; i++)
		count_wait(&shared->mismatch_vector,
			   syscall(NUMBER_FUTEX_WAITV, &vector, 1u, 0u, NULL, 0));
	prctl(PR_SET_NAME, "futex_calls");
}

static void make_timeouts_and_errors(void)
{
	for (int i = 0; i < 20; i++)
		count_wait(&shared->timeout, wait_for(&shared->timeout, FUTEX_WAIT, 0, 100));
	for (int i = 0; i < 10; i++) {
		/* Not aligned. */
		long result = syscall(SYS_futex, (char *)&shared->wrong.value + 1, FUTEX_WAIT, 0,
				      NULL, NULL, 0);

		count_wait(&shared->wrong, result);
	}
}

static void make_empty_wakes(void)
{
	for (int i = 0; i < 500; i++)
		count_wake(&shared->wake, wake(&shared->wake, FUTEX_WAKE));
	for (int i = 0; i < 40; i++)
		count_wake(&shared->wake_bitset, wake(&shared->wake_bitset, FUTEX_WAKE_BITSET));
	for (int i = 0; i < 7; i++) {
		syscall(SYS_futex, &shared->wake.value, FUTEX_CMP_REQUEUE, 1, 1,
			&shared->wake_bitset.value, 99);
		shared->requeues++;
	}
}

static void make_woken_waits(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_NAME, "waiting");
		for (int i = 0; i < 50; i++)
			count_wait(&shared->woken, wait_for(&shared->woken, FUTEX_WAIT, 0, 0));
		_exit(0);
	}
	for (int i = 0; i < 50;) {
		long result;

		until_it_sleeps(child, SYS_futex);
		result = wake(&shared->woken, FUTEX_WAKE);
		count_wake(&shared->wakes_woken, result);
		i += result > 0;
	}
	waitpid(child, NULL, 0);
}

static void on_alarm(int number)
{
	(void)number;
}

static void make_interrupted_waits(void)
{
	struct sigaction action;
	pid_t child;
	int status;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_alarm;
	sigaction(SIGUSR1, &action, NULL);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 5; i++)
			count_wait(&shared->interrupted, wait_for(&shared->interrupted, FUTEX_WAIT,
								  0, i % 2 ? 60000000 : 0));
		_exit(0);
	}
	/* Again and again until all five waits were hit: an early signal hits none. */
	while (waitpid(child, &status, WNOHANG) == 0) {
		struct timespec pause = {0, 2000000};

		kill(child, SIGUSR1);
		nanosleep(&pause, NULL);
	}
}

/* A stop interrupts the wait inside the kernel alone: it goes on by restart_syscall. */
static void make_a_resumed_wait(void)
{
	pid_t child = fork();
	long result;

	if (child == 0) {
		count_wait(&shared->stopped, wait_for(&shared->stopped, FUTEX_WAIT, 0, 60000000));
		_exit(0);
	}
	until_it_sleeps(child, SYS_futex);
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	kill(child, SIGCONT);
	until_it_sleeps(child, SYS_restart_syscall);
	result = wake(&shared->stopped, FUTEX_WAKE);
	count_wake(&shared->wakes_stopped, result);
	waitpid(child, NULL, 0);
	shared->resumed = 1;
}

/* Outlives us by far, waiting. */
static void leave_a_waiter(void)
{
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		wait_for(&shared->left, FUTEX_WAIT, 0, 15000000);
		_exit(0);
	}
	until_it_sleeps(child, SYS_futex);
	shared->left.pid = child;
	shared->left.in_progress = 1;
}

#ifdef __x86_64__
static long call_32_bit(long number, const uint32_t *word)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"((long)(uintptr_t)word), "c"(FUTEX_WAIT_PRIVATE),
			   "d"(1l), "S"(0l), "D"(0l)
			 : "memory");
	return result;
}

/*
 * A 32-bit system call: there 240 is futex and 202 is another call, in 64-bit numbering it is the
 * other way round. A kernel without 32-bit support kills the child at once.
 */
static void make_32_bit_mismatches(void)
{
	pid_t child;

	compat = mmap(NULL, sizeof(*compat), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (compat == MAP_FAILED)
		exit(1);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 11; i++) {
			long result = call_32_bit(240, &compat->value);

			errno = (int)-result;
			count_wait(compat, result);
			call_32_bit(202, &compat->value);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
}
#else
static void make_32_bit_mismatches(void)
{
}
#endif

static const char *separator = "";

static void print_word(const char *name, const struct word *word, const void *address)
{
	static const char *const names[OUTCOMES] = {"woken", "mismatch", "timeout", "interrupted",
						    "other"};

	printf("%s{\"name\":\"%s\",\"address\":\"0x%lx\",\"pid\":%d,\"in_progress\":%u", separator,
	       name, (unsigned long)(uintptr_t)address, word->pid, word->in_progress);
	for (int i = 0; i < OUTCOMES; i++)
		printf(",\"%s\":%lu", names[i], (unsigned long)word->waits[i]);
	printf(",\"woke_some\":%lu,\"woke_nobody\":%lu,\"failed\":%lu,\"threads_woken\":%lu}",
	       (unsigned long)word->wakes_some, (unsigned long)word->wakes_empty,
	       (unsigned long)word->wakes_failed, (unsigned long)word->threads_woken);
	separator = ",";
}

int main(void)
{
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	make_mismatches();
	make_timeouts_and_errors();
	make_empty_wakes();
	make_woken_waits();
	make_interrupted_waits();
	make_a_resumed_wait();
	make_32_bit_mismatches();
	leave_a_waiter();

	printf("{\"resumed\":%lu,\"requeues\":%lu,\"words\":[", (unsigned long)shared->resumed,
	       (unsigned long)shared->requeues);
#define PRINT(word) print_word(#word, &shared->word, &shared->word.value)
	PRINT(mismatch);
	PRINT(mismatch_bitset);
	PRINT(mismatch_new);
	PRINT(mismatch_vector);
	PRINT(timeout);
	PRINT(woken);
	PRINT(wake);
	PRINT(wake_bitset);
	PRINT(interrupted);
	PRINT(stopped);
	PRINT(left);
	if (compat && compat->pid)
		print_word("compat", compat, &compat->value);
	print_word("wrong", &shared->wrong, (char *)&shared->wrong.value + 1);
	print_word("wakes_woken", &shared->wakes_woken, &shared->woken.value);
	print_word("wakes_stopped", &shared->wakes_stopped, &shared->stopped.value);
	printf("]}\n");
	return 7;
}
