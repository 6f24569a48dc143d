/*
 * Shared mutexes and condition variables join this process with one that runs without a preload:
 * the program executes itself with LD_PRELOAD taken away.
 */
#include "support/kinds.h"
#include "support/threads.h"

#include <sys/mman.h>

#define TURNS 2000

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int turn; /* 0: the parent's, 1: the peer's */
	int turns;
};

static void take_turns(struct shared *shared, int mine)
{
	for (int i = 0; i < TURNS; i++) {
		CHECK_OK(pthread_mutex_lock(&shared->mutex));
		while (shared->turn != mine)
			CHECK_OK(pthread_cond_wait(&shared->cond, &shared->mutex));
		shared->turn = !mine;
		shared->turns++;
		CHECK_OK(pthread_cond_signal(&shared->cond));
		CHECK_OK(pthread_mutex_unlock(&shared->mutex));
	}
}

static struct shared *map(int fd)
{
	struct shared *shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(shared != MAP_FAILED);
	return shared;
}

static int peer(int fd)
{
	check_deadline(CHECK_DEADLINE_SECONDS);
	CHECK(!check_on_ownline());
	take_turns(map(fd), 1);
	return 0;
}

static void start_peer(const char *program, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	CHECK_SYS(unsetenv("LD_PRELOAD"));
	CHECK_SYS(unsetenv("CHECK_IMPLEMENTATION"));
	execl(program, program, number, (char *)NULL);
	check_fail(__FILE__, __LINE__, "exec: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct shared *shared;
	int fd;

	if (argc > 1)
		return peer(atoi(argv[1]));
	check_begin();
	fd = memfd_create("shared", 0);
	CHECK_SYS(fd);
	CHECK_SYS(ftruncate(fd, sizeof(*shared)));
	shared = map(fd);
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		pthread_condattr_t attributes;
		pid_t pid;

		if (!check_kinds[k].pshared)
			continue;
		check_kind_announce(&check_kinds[k]);
		memset(shared, 0, sizeof(*shared));
		check_kind_init(&check_kinds[k], &shared->mutex);
		CHECK_OK(pthread_condattr_init(&attributes));
		CHECK_OK(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
		CHECK_OK(pthread_cond_init(&shared->cond, &attributes));
		pid = check_fork();
		if (pid == 0)
			start_peer("/proc/self/exe", fd);
		take_turns(shared, 0);
		check_reap(pid);
		CHECK_EQ(shared->turns, 2 * TURNS);
		CHECK_OK(pthread_cond_destroy(&shared->cond));
		CHECK_OK(pthread_mutex_destroy(&shared->mutex));
	}
	return 0;
}
