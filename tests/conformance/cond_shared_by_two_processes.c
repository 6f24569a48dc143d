/* A process-shared condition variable hands turns between processes, at different addresses too. */
#include "support/kinds.h"
#include "support/threads.h"

#include <sys/mman.h>

#define TURNS 3000

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int turn;
	int turns;
};

static struct shared *map(int fd)
{
	struct shared *shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(shared != MAP_FAILED);
	return shared;
}

static void take_turns(struct shared *shared, int mine)
{
	struct timespec later = check_after_ms(CLOCK_MONOTONIC, 90000);

	for (int i = 0; i < TURNS; i++) {
		CHECK_OK(pthread_mutex_lock(&shared->mutex));
		while (shared->turn != mine)
			if (i % 2)
				CHECK_OK(
				    pthread_cond_timedwait(&shared->cond, &shared->mutex, &later));
			else
				CHECK_OK(pthread_cond_wait(&shared->cond, &shared->mutex));
		shared->turn = (mine + 1) % 3;
		shared->turns++;
		CHECK_OK(pthread_cond_broadcast(&shared->cond));
		CHECK_OK(pthread_mutex_unlock(&shared->mutex));
	}
}

int main(void)
{
	struct shared *shared;
	int fd;

	check_begin();
	fd = memfd_create("shared", MFD_CLOEXEC);
	CHECK_SYS(fd);
	CHECK_SYS(ftruncate(fd, sizeof(*shared)));
	shared = map(fd);
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		pthread_condattr_t attributes;
		pid_t children[2];

		if (!check_kinds[k].pshared)
			continue;
		check_kind_announce(&check_kinds[k]);
		memset(shared, 0, sizeof(*shared));
		check_kind_init(&check_kinds[k], &shared->mutex);
		CHECK_OK(pthread_condattr_init(&attributes));
		CHECK_OK(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
		CHECK_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
		CHECK_OK(pthread_cond_init(&shared->cond, &attributes));
		for (int i = 0; i < 2; i++) {
			children[i] = check_fork();
			if (children[i])
				continue;
			take_turns(map(fd), i + 1);
			_exit(0);
		}
		take_turns(shared, 0);
		check_reap(children[0]);
		check_reap(children[1]);
		CHECK_EQ(shared->turns, 3 * TURNS);
		CHECK_OK(pthread_cond_destroy(&shared->cond));
		CHECK_OK(pthread_mutex_destroy(&shared->mutex));
	}
	return 0;
}
