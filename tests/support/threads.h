/* Threads whose state can be waited for, and points in time. */
#ifndef TESTS_SUPPORT_THREADS_H
#define TESTS_SUPPORT_THREADS_H

#include "support/check.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

struct check_thread {
	pthread_t handle;
	atomic_int tid;
	atomic_int ended;
	void *(*function)(void *);
	void *argument;
};

static inline int check_gettid(void)
{
	return (int)syscall(SYS_gettid);
}

static inline void *check_thread_main(void *argument)
{
	struct check_thread *thread = argument;
	void *result;

	atomic_store(&thread->tid, check_gettid());
	result = thread->function(thread->argument);
	atomic_store(&thread->ended, 1);
	return result;
}

static inline void check_start(struct check_thread *thread, void *(*function)(void *),
			       void *argument)
{
	atomic_init(&thread->tid, 0);
	atomic_init(&thread->ended, 0);
	thread->function = function;
	thread->argument = argument;
	CHECK_OK(pthread_create(&thread->handle, NULL, check_thread_main, thread));
}

static inline void *check_join(struct check_thread *thread)
{
	void *result;

	CHECK_OK(pthread_join(thread->handle, &result));
	return result;
}

static inline void check_sleep_ms(long ms)
{
	struct timespec rest = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

/* One short file of /proc; 0 where it cannot be read. */
static inline size_t check_read_proc(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, text, size - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

/* Whether a thread sleeps in a futex call (where /proc does not tell the call: sleeps at all). */
static inline int check_is_asleep(pid_t pid, pid_t tid)
{
	char path[64], text[512], *state;
	long call;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	if (!check_read_proc(path, text, sizeof(text)))
		return 0;
	state = strrchr(text, ')');
	if (!state || state[1] != ' ' || state[2] != 'S')
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	if (!check_read_proc(path, text, sizeof(text)))
		return 1;
	call = strtol(text, NULL, 10);
	/* A timed wait that was stopped (SIGSTOP) and continued is made again by the latter. */
	return call == SYS_futex || call == SYS_restart_syscall;
}

#define check_await_asleep(thread) check_await_asleep_at(__FILE__, __LINE__, thread)

/* Returns when the thread is blocked; one that ends instead is a failure. */
static inline void check_await_asleep_at(const char *file, int line, struct check_thread *thread)
{
	while (!atomic_load(&thread->tid) ||
	       !check_is_asleep(getpid(), atomic_load(&thread->tid))) {
		if (atomic_load(&thread->ended))
			check_fail(file, line, "the thread ended, but should be blocked");
		check_sleep_ms(1);
	}
}

static inline void check_await(atomic_int *value, int at_least)
{
	while (atomic_load(value) < at_least)
		check_sleep_ms(1);
}

/* The same for an integer that the mutex guards, until it is `wanted`. */
static inline void check_await_guarded(pthread_mutex_t *mutex, const int *value, int wanted)
{
	for (;;) {
		CHECK_OK(pthread_mutex_lock(mutex));
		int now = *value;
		CHECK_OK(pthread_mutex_unlock(mutex));
		if (now == wanted)
			return;
		check_sleep_ms(1);
	}
}

static inline struct timespec check_now(clockid_t clock)
{
	struct timespec now;

	CHECK_SYS(clock_gettime(clock, &now));
	return now;
}

/* `ms` from now; negative: in the past. */
static inline struct timespec check_after_ms(clockid_t clock, long ms)
{
	struct timespec time = check_now(clock);

	time.tv_sec += ms / 1000;
	time.tv_nsec += ms % 1000 * 1000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	} else if (time.tv_nsec < 0) {
		time.tv_nsec += 1000000000;
		time.tv_sec--;
	}
	return time;
}

static inline int check_is_past(clockid_t clock, const struct timespec *time)
{
	struct timespec now = check_now(clock);

	return now.tv_sec != time->tv_sec ? now.tv_sec > time->tv_sec
					  : now.tv_nsec >= time->tv_nsec;
}

#endif
