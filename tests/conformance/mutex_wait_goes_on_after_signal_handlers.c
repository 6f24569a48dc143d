/* Handlers run while a thread waits for a mutex, with SA_RESTART or without; no call says EINTR. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int handled, got_it;
static int timed;

static void handle(int signal_number)
{
	(void)signal_number;
	atomic_fetch_add(&handled, 1);
}

static void *lock(void *unused)
{
	struct timespec later = check_after_ms(CLOCK_MONOTONIC, 600000);

	(void)unused;
	if (timed)
		CHECK_OK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later));
	else
		CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&got_it, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void check_kind_and_flags(const struct check_kind *kind, int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
	struct check_thread thread;

	CHECK_SYS(sigaction(SIGUSR1, &action, NULL));
	check_kind_init(kind, &mutex);
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&handled, 0);
	atomic_store(&got_it, 0);
	check_start(&thread, lock, NULL);
	check_await_asleep(&thread);
	for (int i = 1; i <= 10; i++) {
		CHECK_OK(pthread_kill(thread.handle, SIGUSR1));
		check_await(&handled, i);
	}
	check_await_asleep(&thread);
	CHECK_EQ(atomic_load(&got_it), 0);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		for (timed = 0; timed < 2; timed++) {
			check_kind_and_flags(&check_kinds[k], 0);
			check_kind_and_flags(&check_kinds[k], SA_RESTART);
		}
	}
	return 0;
}
