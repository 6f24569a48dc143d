/*
 * What glibc's own tests of mutexes and condition variables ask of glibc's test support, written
 * anew from how the tests use it, so that they build outside glibc's tree.
 */
#ifndef GLIBC_SHIM_HARNESS_H
#define GLIBC_SHIM_HARNESS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct shim_test {
	int (*function)(void);
	int timeout; /* seconds */
	int expected_status;
	int expected_signal; /* 0: none */
};

/* Runs the test in a child, bounded; returns the status of the whole program. */
int shim_main(int argc, char **argv, const struct shim_test *test);

/* Nobody asks for more words. */
enum { test_verbose = 0 };
#define verbose_printf(...) ((void)0)

/* Ends the process with status 0 after that time. */
void delayed_exit(int seconds);

/* Failures are counted where children of the test count theirs, too. */
int shim_failed(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void shim_exit(int status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define EXIT_UNSUPPORTED      77
#define FAIL(...)	      shim_failed(__FILE__, __LINE__, __VA_ARGS__)
#define FAIL_RET(...)	      return shim_failed(__FILE__, __LINE__, __VA_ARGS__)
#define FAIL_EXIT(code, ...)  shim_exit(code, __FILE__, __LINE__, __VA_ARGS__)
#define FAIL_EXIT1(...)	      shim_exit(1, __FILE__, __LINE__, __VA_ARGS__)
#define FAIL_UNSUPPORTED(...) shim_exit(EXIT_UNSUPPORTED, __FILE__, __LINE__, __VA_ARGS__)

#define TEST_VERIFY(condition)                                                                     \
	((condition) ? 0 : shim_failed(__FILE__, __LINE__, "false: %s", #condition))
#define TEST_VERIFY_EXIT(condition)                                                                \
	((condition) ? (void)0 : shim_exit(1, __FILE__, __LINE__, "false: %s", #condition))
#define TEST_COMPARE(left, right)                                                                  \
	do {                                                                                       \
		long long shim_left = (left), shim_right = (right);                                \
		if (shim_left != shim_right)                                                       \
			shim_failed(__FILE__, __LINE__, "%s is %lld, %s is %lld", #left,           \
				    shim_left, #right, shim_right);                                \
	} while (0)

static inline bool shim_is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static inline struct timespec xclock_now(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		shim_exit(1, __FILE__, __LINE__, "clock_gettime: %s", strerror(errno));
	return now;
}

#define xclock_gettime(clock, time) ((void)(*(time) = xclock_now(clock)))

static inline struct timespec make_timespec(time_t seconds, long ns)
{
	return (struct timespec){.tv_sec = seconds, .tv_nsec = ns};
}

static inline struct timespec timespec_add(struct timespec a, struct timespec b)
{
	struct timespec sum = {.tv_sec = a.tv_sec + b.tv_sec, .tv_nsec = a.tv_nsec + b.tv_nsec};

	if (sum.tv_nsec >= 1000000000) {
		sum.tv_nsec -= 1000000000;
		sum.tv_sec++;
	}
	return sum;
}

#define TEST_TIMESPEC_BEFORE(left, right)	  TEST_VERIFY(shim_is_before(left, right))
#define TEST_TIMESPEC_BEFORE_NOW(left, clock)	  TEST_VERIFY(shim_is_before(left, xclock_now(clock)))
#define TEST_TIMESPEC_EQUAL_OR_AFTER(left, right) TEST_VERIFY(!shim_is_before(left, right))
#define TEST_TIMESPEC_NOW_OR_AFTER(clock, right)                                                   \
	TEST_VERIFY(!shim_is_before(xclock_now(clock), right))

/* The x-calls end the program when the call fails. */
#define SHIM_SUCCEED(call)                                                                         \
	do {                                                                                       \
		int shim_error = (call);                                                           \
		if (shim_error != 0)                                                               \
			shim_exit(1, __FILE__, __LINE__, "%s: %s", #call, strerror(shim_error));   \
	} while (0)

#define xpthread_mutexattr_init(a)	      SHIM_SUCCEED(pthread_mutexattr_init(a))
#define xpthread_mutexattr_destroy(a)	      SHIM_SUCCEED(pthread_mutexattr_destroy(a))
#define xpthread_mutexattr_settype(a, v)      SHIM_SUCCEED(pthread_mutexattr_settype(a, v))
#define xpthread_mutexattr_setrobust(a, v)    SHIM_SUCCEED(pthread_mutexattr_setrobust(a, v))
#define xpthread_mutexattr_setpshared(a, v)   SHIM_SUCCEED(pthread_mutexattr_setpshared(a, v))
#define xpthread_mutexattr_setprotocol(a, v)  SHIM_SUCCEED(pthread_mutexattr_setprotocol(a, v))
#define xpthread_mutex_init(m, a)	      SHIM_SUCCEED(pthread_mutex_init(m, a))
#define xpthread_mutex_destroy(m)	      SHIM_SUCCEED(pthread_mutex_destroy(m))
#define xpthread_mutex_lock(m)		      SHIM_SUCCEED(pthread_mutex_lock(m))
#define xpthread_mutex_unlock(m)	      SHIM_SUCCEED(pthread_mutex_unlock(m))
#define xpthread_mutex_consistent(m)	      SHIM_SUCCEED(pthread_mutex_consistent(m))
#define xpthread_cond_wait(c, m)	      SHIM_SUCCEED(pthread_cond_wait(c, m))
#define xpthread_cond_signal(c)		      SHIM_SUCCEED(pthread_cond_signal(c))
#define xpthread_rwlock_rdlock(l)	      SHIM_SUCCEED(pthread_rwlock_rdlock(l))
#define xpthread_rwlock_wrlock(l)	      SHIM_SUCCEED(pthread_rwlock_wrlock(l))
#define xpthread_sigmask(how, set, old)	      SHIM_SUCCEED(pthread_sigmask(how, set, old))
#define xpthread_barrier_init(b, a, n)	      SHIM_SUCCEED(pthread_barrier_init(b, a, n))
#define xpthread_barrier_destroy(b)	      SHIM_SUCCEED(pthread_barrier_destroy(b))
#define xpthread_barrierattr_init(a)	      SHIM_SUCCEED(pthread_barrierattr_init(a))
#define xpthread_barrierattr_destroy(a)	      SHIM_SUCCEED(pthread_barrierattr_destroy(a))
#define xpthread_barrierattr_setpshared(a, v) SHIM_SUCCEED(pthread_barrierattr_setpshared(a, v))

static inline void xsignal(int number, void (*handler)(int))
{
	if (signal(number, handler) == SIG_ERR)
		shim_exit(1, __FILE__, __LINE__, "signal: %s", strerror(errno));
}

static inline int xpthread_barrier_wait(pthread_barrier_t *barrier)
{
	int result = pthread_barrier_wait(barrier);

	if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD)
		shim_exit(1, __FILE__, __LINE__, "pthread_barrier_wait: %s", strerror(result));
	return result;
}

pthread_t xpthread_create(pthread_attr_t *attributes, void *(*function)(void *), void *argument);
void *xpthread_join(pthread_t thread);
pid_t xfork(void);
pid_t xwaitpid(pid_t pid, int *status, int flags);
void *xmmap(void *address, size_t length, int protection, int flags, int fd);
void xmunmap(void *address, size_t length);
void xwrite(int fd, const void *data, size_t length);
void *xmalloc(size_t size);
/* Makes a file that goes when the program ends; returns its descriptor. */
int create_temp_file(const char *base, char **name);
void add_temp_file(const char *name);
/* Whether PI mutexes can wait by the monotonic clock. */
bool support_mutex_pi_monotonic(void);

#endif
