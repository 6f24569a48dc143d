/* A process dies by SIGKILL with a shared robust mutex: the other process gets EOWNERDEAD. */
#include "support/kinds.h"
#include "support/threads.h"

#include <sys/mman.h>

int main(void)
{
	static const struct check_kind kind = {"shared robust", PTHREAD_MUTEX_NORMAL, 1, 1,
					       PTHREAD_PRIO_NONE};
	struct shared {
		pthread_mutex_t mutex;
		atomic_int locked;
	} * shared;
	int status;
	pid_t pid;

	check_begin();
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	check_kind_init(&kind, &shared->mutex);
	pid = check_fork();
	if (pid == 0) {
		CHECK_OK(pthread_mutex_lock(&shared->mutex));
		atomic_store(&shared->locked, 1);
		for (;;)
			pause();
	}
	check_await(&shared->locked, 1);
	CHECK_ERR(pthread_mutex_trylock(&shared->mutex), EBUSY);
	CHECK_SYS(kill(pid, SIGKILL));
	CHECK_ERR(pthread_mutex_lock(&shared->mutex), EOWNERDEAD);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_OK(pthread_mutex_consistent(&shared->mutex));
	CHECK_OK(pthread_mutex_unlock(&shared->mutex));
	CHECK_OK(pthread_mutex_lock(&shared->mutex));
	CHECK_OK(pthread_mutex_unlock(&shared->mutex));
	CHECK_OK(pthread_mutex_destroy(&shared->mutex));
	return 0;
}
