/*
 * Functions of .preinit_array run before the constructors of any library: every lock call works
 * there, with threads, contention and time-outs, and in constructors as well.
 */
#include "support/kinds.h"
#include "support/ready.h"

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int times;

static void use_locks(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 5);
	struct check_thread waiting, locking;

	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_lock(&recursive));
	CHECK_OK(pthread_mutex_unlock(&recursive));
	CHECK_OK(pthread_mutex_unlock(&recursive));

	ready = 0;
	check_start(&waiting, wait_for_ready, NULL);
	check_await_asleep(&waiting);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
	check_start(&locking, lock_and_unlock, NULL);
	check_await_asleep(&locking);
	ready = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&waiting);
	check_join(&locking);
	times++;
}

static void at_preinit(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	(void)environment;
	check_deadline(CHECK_DEADLINE_SECONDS);
	use_locks();
}

typedef void preinit_function(int, char **, char **);

__attribute__((section(".preinit_array"), used)) static preinit_function *preinit = at_preinit;

__attribute__((constructor(101))) static void at_construction(void)
{
	use_locks();
}

int main(void)
{
	check_begin();
	CHECK_EQ(times, 2);
	use_locks();
	return 0;
}
