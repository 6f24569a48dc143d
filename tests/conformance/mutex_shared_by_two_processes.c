/* Process-shared mutexes exclude threads of several processes, at different addresses too. */
#include "support/kinds.h"
#include "support/threads.h"

#include <sys/mman.h>

#define PROCESSES 2
#define THREADS	  2
#define ROUNDS	  10000

struct shared {
	pthread_mutex_t mutex;
	long plain;
};

static struct shared *shared;

static struct shared *map(int fd)
{
	void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&shared->mutex));
		shared->plain++;
		CHECK_OK(pthread_mutex_unlock(&shared->mutex));
	}
	return NULL;
}

static void run_threads(void)
{
	struct check_thread threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		check_start(&threads[i], add, NULL);
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
}

int main(void)
{
	int fd;

	check_begin();
	fd = memfd_create("shared", MFD_CLOEXEC);
	CHECK_SYS(fd);
	CHECK_SYS(ftruncate(fd, sizeof(*shared)));
	shared = map(fd);
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		pid_t children[PROCESSES];

		if (!check_kinds[k].pshared)
			continue;
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &shared->mutex);
		shared->plain = 0;
		for (int i = 0; i < PROCESSES; i++) {
			children[i] = check_fork();
			if (children[i])
				continue;
			shared = map(fd);
			run_threads();
			_exit(0);
		}
		run_threads();
		for (int i = 0; i < PROCESSES; i++)
			check_reap(children[i]);
		CHECK_EQ(shared->plain, (long)(PROCESSES + 1) * THREADS * ROUNDS);
		CHECK_OK(pthread_mutex_destroy(&shared->mutex));
	}
	return 0;
}
