/*
 * Memory that holds mutexes of one kind after another: each is of its own kind alone, whoever
 * released the one before, and whether or not it was released or destroyed.
 */
#include "support/kinds.h"
#include "support/threads.h"

#include <semaphore.h>
#include <stdbool.h>

/* How the mutex before ends. */
enum end { RELEASED, DESTROYED, LEFT_LOCKED, RELEASED_BY_OTHER, DESTROYED_AFTER_OTHER, ENDS };

/* How the next one begins. */
enum begin { INIT, INIT_BY_OTHER, COPY, BEGINS };

static pthread_mutex_t mutex;
static const struct check_kind *kind; /* of the next one */
static sem_t asked, answered;
static int (*request)(void);
static int answer;

/* One thread for all that another thread does. */
static void *other(void *unused)
{
	(void)unused;
	for (;;) {
		CHECK_SYS(sem_wait(&asked));
		if (!request)
			return NULL;
		answer = request();
		CHECK_SYS(sem_post(&answered));
	}
}

static int by_other(int (*call)(void))
{
	request = call;
	CHECK_SYS(sem_post(&asked));
	CHECK_SYS(sem_wait(&answered));
	return answer;
}

static int release(void)
{
	return pthread_mutex_unlock(&mutex);
}

static int try_and_release(void)
{
	int result = pthread_mutex_trylock(&mutex);

	return result == 0 ? release() : result;
}

static int init(void)
{
	check_kind_init(kind, &mutex);
	return 0;
}

static void end_of_the_one_before(enum end end)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	if (end == RELEASED || end == DESTROYED)
		CHECK_OK(release());
	if (end == RELEASED_BY_OTHER || end == DESTROYED_AFTER_OTHER)
		CHECK_OK(by_other(release));
	if (end == DESTROYED || end == DESTROYED_AFTER_OTHER)
		CHECK_OK(pthread_mutex_destroy(&mutex));
}

static void copy(void)
{
	static const pthread_mutex_t originals[] = {
	    PTHREAD_MUTEX_INITIALIZER,
	    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	    PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
	    PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
	};

	memcpy(&mutex, &originals[kind - check_kinds], sizeof(mutex));
}

static void begin_the_next(enum begin begin)
{
	if (begin == INIT)
		init();
	else if (begin == INIT_BY_OTHER)
		CHECK_OK(by_other(init));
	else
		copy();
}

static int lock_in_some_way(int way)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 100000);

	switch (way) {
	case 0:
		return pthread_mutex_lock(&mutex);
	case 1:
		return pthread_mutex_trylock(&mutex);
	case 2:
		return pthread_mutex_timedlock(&mutex, &soon);
	default:
		return pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &soon);
	}
}

static void check_that_it_is_of_its_kind(int way)
{
	CHECK_OK(lock_in_some_way(way));
	CHECK_ERR(by_other(try_and_release), EBUSY);
	if (kind->type == PTHREAD_MUTEX_ERRORCHECK)
		CHECK_ERR(pthread_mutex_lock(&mutex), EDEADLK);
	if (kind->type == PTHREAD_MUTEX_RECURSIVE) {
		CHECK_OK(lock_in_some_way(way));
		CHECK_OK(release());
		CHECK_ERR(by_other(try_and_release), EBUSY);
	}
	CHECK_OK(release());
	CHECK_OK(by_other(try_and_release));
}

static void one_after_another(const struct check_kind *before, enum end end, enum begin begin)
{
	bool undefined = end == LEFT_LOCKED || end == RELEASED_BY_OTHER;
	bool knows_its_owner =
	    kind->type == PTHREAD_MUTEX_ERRORCHECK || kind->type == PTHREAD_MUTEX_RECURSIVE;

	for (int way = 0; way < 4; way++) {
		check_kind_init(before, &mutex);
		end_of_the_one_before(end);
		begin_the_next(begin);
		/* Not where nothing told this thread that the mutex it locked is no more. */
		if (knows_its_owner && (begin == INIT || !undefined))
			CHECK_ERR(release(), EPERM);
		check_that_it_is_of_its_kind(way);
	}
}

/* Not all kinds may be released by others. */
static void each_end_and_begin(const struct check_kind *before)
{
	bool anyones =
	    before->protocol == PTHREAD_PRIO_NONE && !before->robust &&
	    (before->type == PTHREAD_MUTEX_NORMAL || before->type == PTHREAD_MUTEX_ADAPTIVE_NP);
	int begins = kind < check_kinds + CHECK_OWN_KINDS ? BEGINS : COPY;

	for (int end = 0; end < (anyones ? ENDS : LEFT_LOCKED); end++) {
		for (int begin = 0; begin < begins; begin++)
			one_after_another(before, end, begin);
	}
}

int main(void)
{
	struct check_thread thread;

	check_begin();
	CHECK_SYS(sem_init(&asked, 0, 0));
	CHECK_SYS(sem_init(&answered, 0, 0));
	check_start(&thread, other, NULL);
	for (size_t before = 0; before < CHECK_KINDS; before++) {
		for (size_t k = 0; k < CHECK_KINDS; k++) {
			kind = &check_kinds[k];
			check_kind_announce(kind);
			each_end_and_begin(&check_kinds[before]);
		}
	}
	request = NULL;
	CHECK_SYS(sem_post(&asked));
	check_join(&thread);
	return 0;
}
