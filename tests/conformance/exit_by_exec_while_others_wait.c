/* exec replaces a process whose threads wait and lock; the new program's locks work. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_for_mutex(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&held);
	return NULL;
}

static void *wait_for_cond(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&busy));
	for (;;)
		CHECK_OK(pthread_cond_wait(&cond, &busy));
	return NULL;
}

static void *keep_locking(void *unused)
{
	(void)unused;
	for (;;) {
		CHECK_OK(pthread_mutex_lock(&busy));
		CHECK_OK(pthread_mutex_unlock(&busy));
	}
	return NULL;
}

static void *exec_again(void *left)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", *(int *)left - 1);
	execl("/proc/self/exe", "again", number, (char *)NULL);
	check_fail(__FILE__, __LINE__, "exec: %s", strerror(errno));
	return NULL;
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 20;
	struct check_thread threads[5];

	check_begin();
	CHECK_OK(pthread_mutex_lock(&held));
	check_start(&threads[0], wait_for_mutex, NULL);
	check_start(&threads[1], wait_for_cond, NULL);
	check_await_asleep(&threads[0]);
	check_await_asleep(&threads[1]);
	check_start(&threads[2], keep_locking, NULL);
	check_start(&threads[3], keep_locking, NULL);
	check_sleep_ms(2);
	if (left == 0)
		return 0;
	if (left % 2)
		exec_again(&left);
	check_start(&threads[4], exec_again, &left); /* from a thread that is not the main one */
	for (;;)
		pause();
}
