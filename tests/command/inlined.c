/* Waits once for a mutex, from a function that a header of the system seems to define inline. */
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* clang-format off */
static inline __attribute__((always_inline)) void lock(void)
{
#line 77 "/usr/include/header_of_the_system.h"
	pthread_mutex_lock(&mutex);
}

#line 100 "caller.c"
static void *wait_for_mutex(void *unused)
{
	(void)unused;
	lock(); /* line 103 */
	pthread_mutex_unlock(&mutex);
	return NULL;
}
/* clang-format on */

int main(void)
{
	struct check_thread waiter;

	pthread_mutex_lock(&mutex);
	check_start(&waiter, wait_for_mutex, NULL);
	check_await_asleep(&waiter);
	pthread_mutex_unlock(&mutex);
	check_join(&waiter);
	return 0;
}
