/*
 * The forking thread holds contended mutexes of each private kind: its child unlocks what a child
 * can unlock, locks them again, and its own new threads contend for them.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define WAITERS 4

static pthread_mutex_t mutex, free_mutex;
static long plain;

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	plain++;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void *add(void *unused)
{
	for (int i = 0; i < 2000; i++)
		lock_and_unlock(unused);
	return NULL;
}

static void use_in_child(void)
{
	struct check_thread threads[3];

	plain = 0;
	for (int i = 0; i < 3; i++)
		check_start(&threads[i], add, NULL);
	for (int i = 0; i < 3; i++)
		check_join(&threads[i]);
	CHECK_EQ(plain, 6000);
	CHECK_OK(pthread_mutex_lock(&mutex));
	check_start(&threads[0], lock_and_unlock, NULL);
	check_await_asleep(&threads[0]);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&threads[0]);
}

static void child(int type)
{
	CHECK_OK(pthread_mutex_trylock(&free_mutex));
	CHECK_OK(pthread_mutex_unlock(&free_mutex));
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex)); /* with waiters that exist in the parent alone */
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	use_in_child();
	CHECK_OK(pthread_mutex_destroy(&mutex));
	check_type_init(&mutex, type);
	use_in_child();
	_exit(0);
}

static void check_type(int type)
{
	struct check_thread threads[WAITERS];
	pid_t pid;

	check_type_init(&mutex, type);
	check_type_init(&free_mutex, type);
	CHECK_OK(pthread_mutex_lock(&mutex));
	plain = 0;
	for (int i = 0; i < WAITERS; i++)
		check_start(&threads[i], lock_and_unlock, NULL);
	for (int i = 0; i < WAITERS; i++)
		check_await_asleep(&threads[i]);
	pid = check_fork();
	if (pid == 0)
		child(type);
	check_reap(pid);
	CHECK_EQ(plain, 0); /* nothing of the child's reached the parent's waiters */
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < WAITERS; i++)
		check_join(&threads[i]);
	CHECK_EQ(plain, WAITERS);
	CHECK_OK(pthread_mutex_destroy(&mutex));
}

int main(void)
{
	check_begin();
	check_type(PTHREAD_MUTEX_NORMAL);
	check_type(PTHREAD_MUTEX_ADAPTIVE_NP);
	return 0;
}
