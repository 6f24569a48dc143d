/* No call touches errno: uncontended, contended, timed out, interrupted, or refused. */
#include "support/kinds.h"
#include "support/threads.h"

#include <threads.h>

#define MARK 4711

#define KEEPS_ERRNO(call)                                                                          \
	do {                                                                                       \
		errno = MARK;                                                                      \
		(void)(call);                                                                      \
		CHECK_EQ(errno, MARK);                                                             \
	} while (0)

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static atomic_int stop, handled;

static void handle(int signal_number)
{
	(void)signal_number;
	atomic_fetch_add(&handled, 1);
}

static void *hold_now_and_then(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		KEEPS_ERRNO(pthread_mutex_lock(&mutex));
		check_sleep_ms(1);
		KEEPS_ERRNO(pthread_cond_broadcast(&cond));
		KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void *be_interrupted(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		struct timespec soon = check_after_ms(CLOCK_REALTIME, 2);
		struct timespec monotonic = check_after_ms(CLOCK_MONOTONIC, 2);
		struct timespec bad = {0, -1};
		int error;

		errno = MARK;
		error = pthread_mutex_timedlock(&mutex, &soon);
		CHECK_EQ(errno, MARK);
		if (!error)
			KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
		KEEPS_ERRNO(error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic));
		if (!error)
			KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
		KEEPS_ERRNO(error = pthread_mutex_trylock(&mutex));
		if (!error)
			KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
		KEEPS_ERRNO(pthread_mutex_clocklock(&mutex, 4711, &soon));
		KEEPS_ERRNO(pthread_mutex_lock(&mutex));
		KEEPS_ERRNO(pthread_cond_wait(&cond, &mutex));
		soon = check_after_ms(CLOCK_REALTIME, 2);
		KEEPS_ERRNO(pthread_cond_timedwait(&cond, &mutex, &soon));
		KEEPS_ERRNO(pthread_cond_timedwait(&cond, &mutex, &bad));
		monotonic = check_after_ms(CLOCK_MONOTONIC, 1);
		KEEPS_ERRNO(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &monotonic));
		KEEPS_ERRNO(pthread_mutex_unlock(&mutex));
	}
	atomic_store(&stop, 1);
	return NULL;
}

static void check_c11(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 5);
	mtx_t plain;
	cnd_t event;

	KEEPS_ERRNO(mtx_init(&plain, mtx_timed));
	KEEPS_ERRNO(cnd_init(&event));
	KEEPS_ERRNO(mtx_lock(&plain));
	KEEPS_ERRNO(mtx_trylock(&plain));
	KEEPS_ERRNO(mtx_timedlock(&plain, &soon));
	KEEPS_ERRNO(cnd_timedwait(&event, &plain, &soon));
	KEEPS_ERRNO(cnd_signal(&event));
	KEEPS_ERRNO(cnd_broadcast(&event));
	KEEPS_ERRNO(mtx_unlock(&plain));
	KEEPS_ERRNO(cnd_destroy(&event));
	KEEPS_ERRNO(mtx_destroy(&plain));
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle};
	struct check_thread holder, interrupted;

	check_begin();
	CHECK_SYS(sigaction(SIGUSR1, &action, NULL));
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		KEEPS_ERRNO(pthread_cond_init(&cond, NULL));
		atomic_store(&stop, 0);
		check_start(&holder, hold_now_and_then, NULL);
		check_start(&interrupted, be_interrupted, NULL);
		while (!atomic_load(&stop)) {
			CHECK_OK(pthread_kill(interrupted.handle, SIGUSR1));
			check_sleep_ms(1);
		}
		check_join(&interrupted);
		check_join(&holder);
		KEEPS_ERRNO(pthread_cond_signal(&cond));
		KEEPS_ERRNO(pthread_cond_destroy(&cond));
		KEEPS_ERRNO(pthread_mutex_destroy(&mutex));
	}
	check_c11();
	return 0;
}
