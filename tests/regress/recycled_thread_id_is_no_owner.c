/*
 * After a fork the forking thread owns what it owned in the parent. When the parent has ended, the
 * kernel may give its number to a new thread here, whose mutexes then counted as the forker's too.
 */
#include "support/threads.h"

#define TRIES 500

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pid_t parent;
static atomic_int held, release;

static void *lock_if_recycled(void *unused)
{
	(void)unused;
	if (check_gettid() != parent)
		return NULL;
	CHECK_OK(pthread_mutex_lock(&mutex));
	atomic_store(&held, 1);
	check_await(&release, 1);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void ask_for_thread_id(int tid)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%d", tid - 1) < 0)
		check_skip("the kernel's next process id cannot be chosen: %s", strerror(errno));
	close(fd);
}

static void orphan(int parent_reaped)
{
	struct check_thread thread;
	char byte;

	check_deadline(CHECK_DEADLINE_SECONDS);
	CHECK_EQ(read(parent_reaped, &byte, 1), 1);
	for (int i = 0; i < TRIES; i++) {
		ask_for_thread_id(parent);
		check_start(&thread, lock_if_recycled, NULL);
		while (!atomic_load(&held) && !atomic_load(&thread.ended))
			check_sleep_ms(1);
		if (!atomic_load(&held)) {
			check_join(&thread);
			continue;
		}
		CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
		CHECK_ERR(pthread_mutex_unlock(&mutex), EPERM);
		atomic_store(&release, 1);
		check_join(&thread);
		_exit(0);
	}
	check_skip("others took the process id each time");
}

int main(void)
{
	int reaped[2], result[2];
	pid_t middle, child;

	check_begin();
	ask_for_thread_id(getpid());
	CHECK_SYS(pipe(reaped));
	CHECK_SYS(pipe(result));
	CHECK_SYS(prctl(PR_SET_CHILD_SUBREAPER, 1));
	middle = check_fork();
	if (middle == 0) {
		CHECK_OK(pthread_mutex_lock(&mutex)); /* the library knows the thread's id now */
		CHECK_OK(pthread_mutex_unlock(&mutex));
		parent = getpid();
		child = fork(); /* it outlives this process */
		CHECK_SYS(child);
		if (child == 0)
			orphan(reaped[0]);
		CHECK_EQ(write(result[1], &child, sizeof(child)), sizeof(child));
		_exit(0);
	}
	CHECK_EQ(read(result[0], &child, sizeof(child)), sizeof(child));
	check_reap(middle);
	CHECK_EQ(write(reaped[1], "", 1), 1);
	check_reap(child);
	return 0;
}
