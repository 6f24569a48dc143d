/* What another thread held at the fork stays locked in the child for good, and only there. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static atomic_int locked, release;

static void *hold(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&locked, 1);
	check_await(&release, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *wait_for_it(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void child(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);

	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_ERR(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	check_type_init(&mutex, PTHREAD_MUTEX_NORMAL);
	wait_for_it(NULL);
	_exit(0);
}

int main(void)
{
	struct check_thread owner, waiter;

	check_begin();
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		pid_t pid;

		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		atomic_store(&locked, 0);
		atomic_store(&release, 0);
		check_start(&owner, hold, NULL);
		check_await(&locked, 1);
		check_start(&waiter, wait_for_it, NULL);
		check_await_asleep(&waiter);
		pid = check_fork();
		if (pid == 0)
			child();
		check_reap(pid);
		atomic_store(&release, 1);
		check_join(&owner);
		check_join(&waiter);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
