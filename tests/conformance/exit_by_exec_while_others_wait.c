/* exec replaces a process whose threads wait and lock; the new program's locks work. */
#include "support/left_behind.h"

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
	start_waiters(threads);
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
