/*
 * POSIX leaves destroy with a blocked waiter open; glibc returns 0 only when the waiter has left,
 * so that its memory can go.
 */
#include "support/kinds.h"
#include "support/threads.h"

#include <sys/mman.h>

#define WAITERS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *cond;
static struct timespec deadline;
static int waiting;

static void *wait_in_vain(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	waiting++;
	CHECK_ERR(pthread_cond_timedwait(cond, &mutex, &deadline), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[WAITERS];

	check_begin();
	for (int round = 0; round < 10; round++) {
		cond = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(cond != MAP_FAILED);
		CHECK_OK(pthread_cond_init(cond, NULL));
		waiting = 0;
		deadline = check_after_ms(CLOCK_REALTIME, 10 + 5 * round);
		for (int i = 0; i < WAITERS; i++)
			check_start(&threads[i], wait_in_vain, NULL);
		check_await_guarded(&mutex, &waiting, WAITERS);
		if (round % 2) /* all of them at about this moment */
			while (!check_is_past(CLOCK_REALTIME, &deadline))
				;
		CHECK_OK(pthread_cond_destroy(cond));
		CHECK_SYS(mprotect(cond, 4096, PROT_NONE));
		for (int i = 0; i < WAITERS; i++)
			check_join(&threads[i]);
		CHECK_SYS(munmap(cond, 4096));
	}
	return 0;
}
