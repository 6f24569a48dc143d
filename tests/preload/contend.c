/*
 * A contended program for the tests of surroundings; it knows plain POSIX threads only.
 *
 * contend work: some contended work, checked
 *
 * contend wait: waits, in a mutex and in a condition variable, until standard input ends
 *
 * contend exec: replaces itself by `contend work` while other threads wait
 *
 * contend close FILE: closes every descriptor, works, then writes "done" into FILE
 *
 * contend daemon FILE: becomes a daemon, works, then writes "done" into FILE
 *
 * contend dlopen LIBRARY: loads the library while threads contend
 *
 * contend secure: says whether the kernel started it in secure mode, then works
 *
 * Status 0: all was right.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 20000, PASSES = 500 };

/* Results are looked at even when standard error is closed. */
_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "contend: %s (%s)\n", what, strerror(errno));
	_exit(1);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail(#condition);                                                          \
	} while (0)

struct calls {
	int (*lock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
	int (*wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*broadcast)(pthread_cond_t *);
};

struct work {
	struct calls calls;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned long count;
	unsigned turn;
	unsigned threads;
};

struct worker {
	pthread_t thread;
	struct work *work;
	unsigned number;
};

static void *do_work(void *argument)
{
	struct worker *worker = argument;
	struct work *work = worker->work;
	const struct calls *calls = &work->calls;

	for (unsigned i = 0; i < TURNS; i++) {
		CHECK(calls->lock(&work->mutex) == 0);
		work->count++;
		CHECK(calls->unlock(&work->mutex) == 0);
	}
	for (unsigned i = 0; i < PASSES; i++) {
		CHECK(calls->lock(&work->mutex) == 0);
		while (work->turn % work->threads != worker->number)
			CHECK(calls->wait(&work->cond, &work->mutex) == 0);
		work->turn++;
		CHECK(calls->broadcast(&work->cond) == 0);
		CHECK(calls->unlock(&work->mutex) == 0);
	}
	return NULL;
}

static const struct calls own_calls = {pthread_mutex_lock, pthread_mutex_unlock, pthread_cond_wait,
				       pthread_cond_broadcast};

/* Runs the work with the given entry points, and checks its result. */
static void run_work(struct calls calls)
{
	struct work work = {.calls = calls,
			    .mutex = PTHREAD_MUTEX_INITIALIZER,
			    .cond = PTHREAD_COND_INITIALIZER,
			    .threads = THREADS};
	struct worker workers[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.work = &work, .number = i};
		CHECK(pthread_create(&workers[i].thread, NULL, do_work, &workers[i]) == 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(workers[i].thread, NULL) == 0);
	CHECK(work.count == (unsigned long)THREADS * TURNS);
	CHECK(work.turn == THREADS * PASSES);
}

/* Before any constructor of ours may have run: a lock must work. */
__attribute__((constructor(101))) static void lock_early(void)
{
	static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;

	CHECK(pthread_mutex_lock(&early) == 0);
	CHECK(pthread_mutex_trylock(&early) == EBUSY);
	CHECK(pthread_mutex_unlock(&early) == 0);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static bool rung; /* guarded by `door` */
static _Atomic unsigned about_to_wait;

static void *give_up(void *unused)
{
	struct timespec soon;

	CHECK(clock_gettime(CLOCK_REALTIME, &soon) == 0);
	soon.tv_nsec += 1000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	CHECK(pthread_mutex_timedlock(&held, &soon) == ETIMEDOUT);
	return unused;
}

/* However the threads of run_work run, which may be one after another: this one meets a lock. */
static void contend_for_certain(void)
{
	pthread_t thread;

	CHECK(pthread_mutex_lock(&held) == 0);
	CHECK(pthread_create(&thread, NULL, give_up, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(pthread_mutex_unlock(&held) == 0);
}

/* Where debuggers stop a waiter, on its way out of the wait. */
__attribute__((noinline)) static void has_waited(void)
{
	__asm__ volatile("" ::: "memory");
}

static void *wait_for_mutex(void *unused)
{
	atomic_fetch_add(&about_to_wait, 1);
	CHECK(pthread_mutex_lock(&held) == 0);
	has_waited();
	CHECK(pthread_mutex_unlock(&held) == 0);
	return unused;
}

static void *wait_for_bell(void *unused)
{
	CHECK(pthread_mutex_lock(&door) == 0);
	atomic_fetch_add(&about_to_wait, 1);
	while (!rung)
		CHECK(pthread_cond_wait(&bell, &door) == 0);
	has_waited();
	CHECK(pthread_mutex_unlock(&door) == 0);
	return unused;
}

static void start_waiters(pthread_t *threads)
{
	CHECK(pthread_mutex_lock(&held) == 0);
	CHECK(pthread_create(&threads[0], NULL, wait_for_mutex, NULL) == 0);
	CHECK(pthread_create(&threads[1], NULL, wait_for_bell, NULL) == 0);
	while (atomic_load(&about_to_wait) != 2)
		sched_yield();
	usleep(100000); /* most likely they sleep by now; both ways are right */
}

static void release_waiters(const pthread_t *threads)
{
	CHECK(pthread_mutex_unlock(&held) == 0);
	CHECK(pthread_mutex_lock(&door) == 0);
	rung = true;
	CHECK(pthread_cond_signal(&bell) == 0);
	CHECK(pthread_mutex_unlock(&door) == 0);
	CHECK(pthread_join(threads[0], NULL) == 0);
	CHECK(pthread_join(threads[1], NULL) == 0);
}

static void wait_for_end_of_input(void)
{
	pthread_t threads[2];
	char byte;

	start_waiters(threads);
	printf("ready owner %ld\n", (long)syscall(SYS_gettid));
	fflush(stdout);
	while (read(0, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	release_waiters(threads);
	run_work(own_calls);
}

static void write_done(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file < 0 || write(file, "done\n", 5) != 5)
		_exit(3);
}

static void close_all(const char *path)
{
	pthread_t threads[2];

	start_waiters(threads);
	if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
		fail("close_range");
	release_waiters(threads);
	run_work(own_calls);
	write_done(path);
}

static void be_daemon(const char *path)
{
	/* Twice, as service programs do. */
	if (daemon(1, 0) != 0 || daemon(1, 0) != 0)
		fail("daemon");
	run_work(own_calls);
	write_done(path);
}

static void *contend_on(void *over)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	while (!atomic_load((_Atomic bool *)over)) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

static void load_late(const char *path)
{
	static _Atomic bool over;
	pthread_t waiters[2], contenders[2];
	struct calls theirs;

	start_waiters(waiters);
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_create(&contenders[i], NULL, contend_on, &over) == 0);
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (library == NULL) {
		fprintf(stderr, "contend: %s\n", dlerror());
		exit(1);
	}
	*(void **)&theirs.lock = dlsym(library, "pthread_mutex_lock");
	*(void **)&theirs.unlock = dlsym(library, "pthread_mutex_unlock");
	*(void **)&theirs.wait = dlsym(library, "pthread_cond_wait");
	*(void **)&theirs.broadcast = dlsym(library, "pthread_cond_broadcast");
	CHECK(theirs.lock != NULL && theirs.unlock != NULL && theirs.wait != NULL &&
	      theirs.broadcast != NULL);

	/* Objects in use stay with those calls that the program was bound to; new ones may be
	 * either's. */
	run_work(theirs);
	run_work(own_calls);
	release_waiters(waiters);
	dlclose(library);
	run_work(own_calls);
	atomic_store(&over, true);
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_join(contenders[i], NULL) == 0);
}

static void exec_while_waiting(const char *program)
{
	pthread_t threads[2];
	char *arguments[] = {(char *)program, "work", NULL};

	start_waiters(threads);
	execv("/proc/self/exe", arguments);
	fail("exec");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *path = argc > 2 ? argv[2] : NULL;

	if (strcmp(mode, "work") == 0) {
		contend_for_certain();
		run_work(own_calls);
	} else if (strcmp(mode, "wait") == 0)
		wait_for_end_of_input();
	else if (strcmp(mode, "exec") == 0)
		exec_while_waiting(argv[0]);
	else if (strcmp(mode, "close") == 0 && path != NULL)
		close_all(path);
	else if (strcmp(mode, "daemon") == 0 && path != NULL)
		be_daemon(path);
	else if (strcmp(mode, "dlopen") == 0 && path != NULL)
		load_late(path);
	else if (strcmp(mode, "secure") == 0) {
		printf("secure %lu\n", getauxval(AT_SECURE));
		run_work(own_calls);
	} else {
		fputs(
		    "usage: contend work|wait|exec|secure|close FILE|daemon FILE|dlopen LIBRARY\n",
		    stderr);
		return 2;
	}
	printf("contend: %s done\n", mode);
	return 0;
}
