/*
 * fork while other threads hold, contend for and wait on mutexes and condition variables. The
 * program's own atfork handlers lock its mutexes, as libraries do; so in the child they are free,
 * but threads that no longer exist were queued on them. The child uses everything, alone and with
 * threads of its own, and ends.
 *
 * Plain: the child initialises the condition variables again, for POSIX leaves open what becomes
 * of waiters that do not exist in the child, and glibc waits for them for ever. With --strict it
 * uses and destroys them as they are: ownline promises that such waiters are forgotten.
 */
#include "stress.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, ROOMS = 3, STRAYS = 2, PASSES = 20 };

extern char **environ;

struct room { /* locked by the atfork handlers */
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint64_t left, right; /* equal, unless the mutex is locked */
	unsigned turn;
};

struct worker {
	pthread_t thread;
	unsigned number;
	struct stress_random random;
	_Atomic uint64_t done;
};

static struct room rooms[ROOMS];
/* No handler locks these: in the child they are free or locked for ever, and never broken. */
static pthread_mutex_t strays[STRAYS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static _Atomic bool over;

static void lock_rooms(void)
{
	for (unsigned i = 0; i < ROOMS; i++)
		STRESS_OK(pthread_mutex_lock(&rooms[i].mutex));
}

static void unlock_rooms(void)
{
	for (unsigned i = ROOMS; i-- > 0;)
		STRESS_OK(pthread_mutex_unlock(&rooms[i].mutex));
}

static void use_room(struct room *room, unsigned length)
{
	STRESS_CHECK(room->left == room->right);
	room->left++;
	stress_work(length);
	room->right++;
}

static void wait_in(struct worker *worker, struct room *room)
{
	struct timespec at = stress_deadline(CLOCK_REALTIME, stress_below(&worker->random, 300000));

	if (stress_chance(&worker->random, 2)) {
		STRESS_OK(pthread_cond_wait(&room->cond, &room->mutex));
	} else {
		int error = pthread_cond_timedwait(&room->cond, &room->mutex, &at);
		STRESS_CHECK(error == 0 || error == ETIMEDOUT);
	}
}

/* Worker 0 never waits for a wakeup, so that there is always one. */
static void visit(struct worker *worker)
{
	struct room *room = &rooms[stress_below(&worker->random, ROOMS)];

	STRESS_OK(pthread_mutex_lock(&room->mutex));
	use_room(room, stress_below(&worker->random, 400));
	if (worker->number != 0 && stress_chance(&worker->random, 3))
		wait_in(worker, room);
	else if (stress_chance(&worker->random, 2))
		STRESS_OK(pthread_cond_signal(&room->cond));
	else
		STRESS_OK(pthread_cond_broadcast(&room->cond));
	STRESS_OK(pthread_mutex_unlock(&room->mutex));

	pthread_mutex_t *stray = &strays[stress_below(&worker->random, STRAYS)];
	STRESS_OK(pthread_mutex_lock(stray));
	stress_work(stress_below(&worker->random, 400));
	STRESS_OK(pthread_mutex_unlock(stray));
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	while (!atomic_load(&over)) {
		visit(worker);
		atomic_fetch_add_explicit(&worker->done, 1, memory_order_relaxed);
		if (worker->number == 0)
			sched_yield();
	}
	return NULL;
}

static void try_strays(void)
{
	for (unsigned i = 0; i < STRAYS; i++) {
		int error = pthread_mutex_trylock(&strays[i]);
		if (error == EBUSY) {
			struct timespec at = stress_deadline(CLOCK_REALTIME, 100000);
			error = pthread_mutex_timedlock(&strays[i], &at);
			STRESS_CHECK(error == ETIMEDOUT);
			continue;
		}
		STRESS_CHECK(error == 0);
		STRESS_OK(pthread_mutex_unlock(&strays[i]));
	}
}

/* Two threads of the child pass the turn to each other in every room. */
static void *pass_turns(void *argument)
{
	unsigned me = *(unsigned *)argument;

	for (unsigned pass = 0; pass < PASSES; pass++) {
		struct room *room = &rooms[pass % ROOMS];
		STRESS_OK(pthread_mutex_lock(&room->mutex));
		while (room->turn % 2 != me)
			STRESS_OK(pthread_cond_wait(&room->cond, &room->mutex));
		use_room(room, 10);
		room->turn++;
		STRESS_OK(pthread_cond_signal(&room->cond));
		STRESS_OK(pthread_mutex_unlock(&room->mutex));
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[2];
	unsigned numbers[2] = {0, 1};

	for (unsigned i = 0; i < 2; i++)
		STRESS_OK(pthread_create(&threads[i], NULL, pass_turns, &numbers[i]));
	for (unsigned i = 0; i < 2; i++)
		STRESS_OK(pthread_join(threads[i], NULL));
}

_Noreturn static void be_child(struct stress_random *random)
{
	stress_child();
	for (unsigned i = 0; i < ROOMS; i++) {
		struct timespec at = stress_deadline(CLOCK_REALTIME, 50000);
		STRESS_OK(pthread_mutex_lock(&rooms[i].mutex));
		use_room(&rooms[i], 10);
		rooms[i].turn = 0;
		if (!stress.strict)
			STRESS_OK(pthread_cond_init(&rooms[i].cond, NULL));
		STRESS_OK(pthread_cond_broadcast(&rooms[i].cond));
		if (stress_chance(random, 4)) {
			int error = pthread_cond_timedwait(&rooms[i].cond, &rooms[i].mutex, &at);
			STRESS_CHECK(error == 0 || error == ETIMEDOUT);
		}
		STRESS_OK(pthread_mutex_unlock(&rooms[i].mutex));
		STRESS_OK(pthread_mutex_trylock(&rooms[i].mutex));
		STRESS_OK(pthread_mutex_unlock(&rooms[i].mutex));
	}
	try_strays();
	if (stress_chance(random, 2))
		run_threads();
	for (unsigned i = 0; i < ROOMS && stress.strict; i++) {
		STRESS_OK(pthread_cond_destroy(&rooms[i].cond));
		STRESS_OK(pthread_mutex_destroy(&rooms[i].mutex));
	}
	_exit(0);
}

static void reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		STRESS_CHECK(errno == EINTR);
	if (WIFSIGNALED(status))
		stress_fail("child %d ended by signal %d%s", (int)pid, WTERMSIG(status),
			    WTERMSIG(status) == SIGALRM ? ": it hung" : "");
	STRESS_CHECK(WEXITSTATUS(status) == 0);
}

static void *fork_once(void *argument)
{
	struct stress_random *random = argument;
	pid_t pid;

	stress_random(random);
	if (stress_chance(random, 50)) {
		char *arguments[] = {"true", NULL};
		if (posix_spawnp(&pid, "true", NULL, NULL, arguments, environ) != 0)
			stress_fail("cannot spawn \"true\"");
	} else {
		pid = fork();
	}
	if (pid == 0)
		be_child(random);
	if (pid < 0)
		stress_fail("fork: %s", strerror(errno));
	reap(pid);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	stress_begin(argc, argv, "fork_storm",
		     "Forks while threads contend; the child uses every lock, and ends.");
	unsigned threads = stress.threads != 0 ? stress.threads : THREADS;
	struct worker *workers = calloc(threads, sizeof(*workers));
	struct stress_random random = stress_random_for(1000000);

	for (unsigned i = 0; i < ROOMS; i++) {
		STRESS_OK(pthread_mutex_init(&rooms[i].mutex, NULL));
		STRESS_OK(pthread_cond_init(&rooms[i].cond, NULL));
	}
	STRESS_OK(pthread_atfork(lock_rooms, unlock_rooms, unlock_rooms));
	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	while (stress_running()) {
		if (stress_chance(&random, 4)) {
			STRESS_OK(pthread_create(&thread, NULL, fork_once, &random));
			STRESS_OK(pthread_join(thread, NULL));
		} else {
			fork_once(&random);
		}
		stress_round(1);
	}
	atomic_store(&over, true);
	for (unsigned i = 1; i < threads; i++) {
		/* Whoever waits without end is woken until all have seen that it is over. */
		while (pthread_tryjoin_np(workers[i].thread, NULL) == EBUSY) {
			for (unsigned j = 0; j < ROOMS; j++)
				STRESS_OK(pthread_cond_broadcast(&rooms[j].cond));
			stress_sleep_ns(100000);
		}
	}
	STRESS_OK(pthread_join(workers[0].thread, NULL));
	for (unsigned i = 0; i < threads; i++)
		STRESS_CHECK(workers[i].done != 0);
	free(workers);
	stress_end(NULL);
}
