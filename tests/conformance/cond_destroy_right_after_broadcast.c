/*
 * POSIX allows it: the condition variable is destroyed and its memory taken away right after the
 * broadcast, before the waiters have returned from their waits (some of which end by time-out).
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#include <sys/mman.h>

#define WAITERS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static pthread_cond_t *cond;
static size_t page_size;
static pthread_barrier_t meet;
static struct check_options options;
static int waiting, open_now;

static void *wait_for_open(void *number)
{
	uint64_t state = options.seed + (uintptr_t)number;

	for (unsigned long i = 0; i < options.rounds; i++) {
		struct timespec deadline;
		int error = 0;

		pthread_barrier_wait(&meet);
		deadline = check_after_ms(CLOCK_REALTIME, 0);
		deadline.tv_nsec += (long)(check_random(&state) % 200000);
		if (deadline.tv_nsec >= 1000000000) {
			deadline.tv_nsec -= 1000000000;
			deadline.tv_sec++;
		}
		CHECK_OK(pthread_mutex_lock(&mutex));
		if (++waiting == WAITERS)
			CHECK_OK(pthread_cond_signal(&all_here));
		/* A time-out takes part as long as the condition variable exists: never again after
		 * open. */
		while (!open_now && !error)
			if ((uintptr_t)number % 2)
				error = pthread_cond_timedwait(cond, &mutex, &deadline);
			else
				CHECK_OK(pthread_cond_wait(cond, &mutex));
		if (error)
			CHECK_ERR(error, ETIMEDOUT);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

static void run_round(uint64_t *state)
{
	cond = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(cond != MAP_FAILED);
	CHECK_OK(pthread_cond_init(cond, NULL));
	waiting = 0;
	open_now = 0;
	pthread_barrier_wait(&meet);
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (waiting < WAITERS)
		CHECK_OK(pthread_cond_wait(&all_here, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_jitter(state, 20000);
	CHECK_OK(pthread_mutex_lock(&mutex));
	open_now = 1;
	CHECK_OK(pthread_cond_broadcast(cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_destroy(cond));
	CHECK_SYS(mprotect(cond, page_size, PROT_NONE));
	pthread_barrier_wait(&meet);
	CHECK_SYS(munmap(cond, page_size));
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
	for (uintptr_t i = 0; i < WAITERS; i++)
		check_start(&threads[i], wait_for_open, (void *)i);
	for (unsigned long i = 0; i < options.rounds; i++)
		run_round(&state);
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	return 0;
}
