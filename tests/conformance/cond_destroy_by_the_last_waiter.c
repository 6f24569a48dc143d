/*
 * Each waiter is signalled, and the last one that comes back destroys condition variable and mutex
 * and takes their memory away, while the signaller may still be inside its unlock.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#include <sys/mman.h>

#define WAITERS 3

struct object {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_cond_t arrived;
	int waiting;
	int tokens;
	int users;
};

static struct object *object;
static size_t page_size;
static pthread_barrier_t meet;
static struct check_options options;

static void leave(struct object *left)
{
	int last = --left->users == 0;

	CHECK_OK(pthread_mutex_unlock(&left->mutex));
	if (!last)
		return;
	CHECK_OK(pthread_cond_destroy(&left->cond));
	CHECK_OK(pthread_cond_destroy(&left->arrived));
	CHECK_OK(pthread_mutex_destroy(&left->mutex));
	CHECK_SYS(mprotect(left, page_size, PROT_NONE));
}

static void *take_token(void *unused)
{
	(void)unused;
	for (unsigned long i = 0; i < options.rounds; i++) {
		pthread_barrier_wait(&meet);
		CHECK_OK(pthread_mutex_lock(&object->mutex));
		object->waiting++;
		CHECK_OK(pthread_cond_signal(&object->arrived));
		while (!object->tokens)
			CHECK_OK(pthread_cond_wait(&object->cond, &object->mutex));
		object->tokens--;
		leave(object);
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

static void signal_all(uint64_t *state)
{
	for (int given = 1; given <= WAITERS; given++) {
		check_jitter(state, 3000);
		CHECK_OK(pthread_mutex_lock(&object->mutex));
		while (object->waiting < given)
			CHECK_OK(pthread_cond_wait(&object->arrived, &object->mutex));
		object->tokens++;
		CHECK_OK(pthread_cond_signal(&object->cond));
		if (given == WAITERS)
			leave(object);
		else
			CHECK_OK(pthread_mutex_unlock(&object->mutex));
	}
}

int main(int argc, char **argv)
{
	struct check_thread threads[WAITERS];
	uint64_t state;

	check_begin();
	options = check_options(argc, argv, 3000);
	state = options.seed;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pthread_barrier_init(&meet, NULL, WAITERS + 1);
	for (int i = 0; i < WAITERS; i++)
		check_start(&threads[i], take_token, NULL);
	for (unsigned long i = 0; i < options.rounds; i++) {
		object = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
		CHECK(object != MAP_FAILED);
		CHECK_OK(pthread_mutex_init(&object->mutex, NULL));
		CHECK_OK(pthread_cond_init(&object->cond, NULL));
		CHECK_OK(pthread_cond_init(&object->arrived, NULL));
		object->users = WAITERS + 1;
		pthread_barrier_wait(&meet);
		signal_all(&state);
		pthread_barrier_wait(&meet);
		CHECK_SYS(munmap(object, page_size));
	}
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	return 0;
}
