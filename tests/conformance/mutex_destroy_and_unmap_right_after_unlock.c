/*
 * Whoever drops the last reference under the mutex destroys it and takes its memory away at once,
 * while the previous owner may still be inside pthread_mutex_unlock. Any access of that one to the
 * mutex after its release is a crash here.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#include <sys/mman.h>

#define SHARERS 4

struct object {
	pthread_mutex_t mutex;
	int references;
};

static struct object *object;
static size_t page_size;
static pthread_barrier_t meet;
static struct check_options options;

static void make_object(unsigned long round)
{
	if (object)
		CHECK_SYS(munmap(object, page_size));
	object = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(object != MAP_FAILED);
	check_kind_init(&check_kinds[round % CHECK_OWN_KINDS], &object->mutex);
	object->references = SHARERS;
}

static void put_object(void)
{
	int left;

	CHECK_OK(pthread_mutex_lock(&object->mutex));
	left = --object->references;
	CHECK_OK(pthread_mutex_unlock(&object->mutex));
	if (left)
		return;
	CHECK_OK(pthread_mutex_destroy(&object->mutex));
	CHECK_SYS(mprotect(object, page_size, PROT_NONE));
}

static void *share(void *number)
{
	uint64_t state = options.seed + (uintptr_t)number;

	for (unsigned long i = 0; i < options.rounds; i++) {
		if (number == NULL)
			make_object(i);
		pthread_barrier_wait(&meet);
		check_jitter(&state, 2000);
		put_object();
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct check_thread threads[SHARERS];

	check_begin();
	options = check_options(argc, argv, 8000);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pthread_barrier_init(&meet, NULL, SHARERS);
	for (uintptr_t i = 0; i < SHARERS; i++)
		check_start(&threads[i], share, (void *)i);
	for (int i = 0; i < SHARERS; i++)
		check_join(&threads[i]);
	return 0;
}
