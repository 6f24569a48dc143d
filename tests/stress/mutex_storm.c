/*
 * Many threads, few mutexes of every kind that is ours, all ways to lock, time-outs down to none.
 * Behind each mutex lies a state that only mutual exclusion keeps whole: a counter without atomics,
 * two halves that add up to nothing, an owner, and a list whose nodes travel between the mutexes.
 */
#include "stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, VAULTS = 5, NODES = 64 };

struct node {
	struct node *next;
	unsigned number;
};

struct vault {
	pthread_mutex_t mutex;
	uint64_t count;
	int64_t left;
	int64_t right;
	int owner; /* worker's number + 1, 0: nobody */
	unsigned nodes;
	struct node *list;
};

struct worker {
	pthread_t thread;
	unsigned number;
	struct stress_random random;
	uint64_t counted[VAULTS];
	uint64_t timeouts;
	uint64_t busy;
};

static struct vault vaults[VAULTS];
static struct node nodes[NODES];

static const int kinds[VAULTS] = {
    PTHREAD_MUTEX_NORMAL,     PTHREAD_MUTEX_NORMAL,	 PTHREAD_MUTEX_RECURSIVE,
    PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP,
};

/* From long past to two milliseconds ahead, most of them near nothing. */
static int64_t random_offset(struct stress_random *random)
{
	switch (stress_below(random, 6)) {
	case 0:
		return -1000000000;
	case 1:
		return 0;
	case 2:
		return 1;
	case 3:
		return stress_below(random, 5000);
	case 4:
		return stress_below(random, 100000);
	default:
		return stress_below(random, 2000000);
	}
}

static bool lock_timed(struct worker *worker, pthread_mutex_t *mutex)
{
	bool monotonic = stress_chance(&worker->random, 2);
	clockid_t clock = monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	struct timespec at = stress_deadline(clock, random_offset(&worker->random));
	int error = monotonic ? pthread_mutex_clocklock(mutex, clock, &at)
			      : pthread_mutex_timedlock(mutex, &at);

	if (error == 0)
		return true;
	if (error != ETIMEDOUT)
		stress_fail("a timed lock returned %d", error);
	uint64_t due = (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
	if (monotonic && stress_now(clock) < due)
		stress_fail("a timed lock ended before its deadline");
	worker->timeouts++;
	return false;
}

static bool lock_somehow(struct worker *worker, pthread_mutex_t *mutex)
{
	int error;

	errno = 4711;
	bool locked = true;
	switch (stress_below(&worker->random, 8)) {
	case 0:
		error = pthread_mutex_trylock(mutex);
		if (error != 0 && error != EBUSY)
			stress_fail("trylock returned %d", error);
		locked = error == 0;
		worker->busy += !locked;
		break;
	case 1:
	case 2:
	case 3:
		locked = lock_timed(worker, mutex);
		break;
	default:
		STRESS_OK(pthread_mutex_lock(mutex));
	}
	if (errno != 4711)
		stress_fail("a lock call changed errno to %d", errno);
	return locked;
}

static void enter(struct worker *worker, struct vault *vault)
{
	if (vault->owner != 0)
		stress_fail("worker %u entered, but worker %d is inside", worker->number,
			    vault->owner - 1);
	vault->owner = (int)worker->number + 1;
	if (vault->left + vault->right != 0)
		stress_fail("halves %lld and %lld do not add up to nothing", (long long)vault->left,
			    (long long)vault->right);
}

static void leave(struct worker *worker, struct vault *vault)
{
	STRESS_CHECK(vault->owner == (int)worker->number + 1);
	vault->owner = 0;
	STRESS_OK(pthread_mutex_unlock(&vault->mutex));
}

static void dwell(struct worker *worker)
{
	switch (stress_below(&worker->random, 400)) {
	case 0:
		stress_sleep_ns(stress_below(&worker->random, 200000));
		break;
	case 1:
		stress_work(20000);
		break;
	default:
		stress_work(stress_below(&worker->random, 300));
	}
}

static void use(struct worker *worker, unsigned which)
{
	struct vault *vault = &vaults[which];
	int64_t amount = stress_below(&worker->random, 1000);

	vault->left += amount;
	dwell(worker);
	vault->right -= amount;
	vault->count++;
	worker->counted[which]++;

	unsigned length = 0;
	for (struct node *node = vault->list; node != NULL; node = node->next)
		length++;
	STRESS_CHECK(length == vault->nodes);
}

static void relock(struct worker *worker, unsigned which)
{
	pthread_mutex_t *mutex = &vaults[which].mutex;

	if (kinds[which] == PTHREAD_MUTEX_RECURSIVE) {
		unsigned depth = 1 + stress_below(&worker->random, 4);
		for (unsigned i = 0; i < depth; i++)
			STRESS_CHECK(lock_somehow(worker, mutex));
		for (unsigned i = 0; i < depth; i++)
			STRESS_OK(pthread_mutex_unlock(mutex));
	} else if (kinds[which] == PTHREAD_MUTEX_ERRORCHECK) {
		STRESS_EXPECT(pthread_mutex_lock(mutex), EDEADLK);
		STRESS_EXPECT(pthread_mutex_trylock(mutex), EBUSY);
	} else {
		STRESS_EXPECT(pthread_mutex_trylock(mutex), EBUSY);
	}
}

/* Locks a second, higher vault and moves a node over. */
static void move_node(struct worker *worker, unsigned which)
{
	if (which + 1 == VAULTS)
		return;
	unsigned other = which + 1 + stress_below(&worker->random, VAULTS - which - 1);
	struct vault *from = &vaults[which], *to = &vaults[other];

	if (!lock_somehow(worker, &to->mutex))
		return;
	enter(worker, to);
	if (from->list == NULL || stress_chance(&worker->random, 2)) {
		struct vault *swap = from;
		from = to;
		to = swap;
	}
	struct node *node = from->list;
	if (node != NULL) {
		from->list = node->next;
		from->nodes--;
		stress_work(stress_below(&worker->random, 50));
		node->next = to->list;
		to->list = node;
		to->nodes++;
	}
	leave(worker, &vaults[other]);
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	while (stress_running()) {
		unsigned which = stress_below(&worker->random, VAULTS);
		if (!lock_somehow(worker, &vaults[which].mutex))
			continue;
		enter(worker, &vaults[which]);
		use(worker, which);
		if (stress_chance(&worker->random, 8))
			relock(worker, which);
		if (stress_chance(&worker->random, 4))
			move_node(worker, which);
		leave(worker, &vaults[which]);
		stress_round(1);
		stress_work(stress_below(&worker->random, 200));
	}
	return NULL;
}

static void check_result(const struct worker *workers, unsigned threads)
{
	bool seen[NODES] = {false};
	unsigned found = 0;

	for (unsigned i = 0; i < VAULTS; i++) {
		uint64_t sum = 0;
		for (unsigned j = 0; j < threads; j++)
			sum += workers[j].counted[i];
		if (sum != vaults[i].count)
			stress_fail("vault %u: counted %llu, did %llu", i,
				    (unsigned long long)vaults[i].count, (unsigned long long)sum);
		for (struct node *node = vaults[i].list; node != NULL; node = node->next) {
			STRESS_CHECK(!seen[node->number]);
			seen[node->number] = true;
			found++;
		}
		STRESS_OK(pthread_mutex_destroy(&vaults[i].mutex));
	}
	STRESS_CHECK(found == NODES);
}

int main(int argc, char **argv)
{
	char detail[128];
	uint64_t timeouts = 0, busy = 0;

	stress_begin(
	    argc, argv, "mutex_storm",
	    "Threads lock mutexes of every kind in every way; the data behind must stay whole.");
	unsigned threads = stress.threads != 0 ? stress.threads : THREADS;
	struct worker *workers = calloc(threads, sizeof(*workers));

	for (unsigned i = 0; i < VAULTS; i++) {
		pthread_mutexattr_t attributes;
		pthread_mutexattr_init(&attributes);
		STRESS_OK(pthread_mutexattr_settype(&attributes, kinds[i]));
		STRESS_OK(pthread_mutex_init(&vaults[i].mutex, &attributes));
		pthread_mutexattr_destroy(&attributes);
	}
	for (unsigned i = 0; i < NODES; i++) {
		nodes[i] = (struct node){.next = vaults[0].list, .number = i};
		vaults[0].list = &nodes[i];
		vaults[0].nodes++;
	}
	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].random = stress_random_for(i);
		STRESS_OK(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (unsigned i = 0; i < threads; i++) {
		STRESS_OK(pthread_join(workers[i].thread, NULL));
		timeouts += workers[i].timeouts;
		busy += workers[i].busy;
	}
	check_result(workers, threads);
	free(workers);
	snprintf(detail, sizeof(detail), "%llu time-outs, %llu busy", (unsigned long long)timeouts,
		 (unsigned long long)busy);
	stress_end(detail);
}
