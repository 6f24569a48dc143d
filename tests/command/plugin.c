/* Loaded late by `ends plugin`: its calling sites are in no module that was there at the start. */
#include <pthread.h>
#include <time.h>

void call_through_plugin(void (*function)(void));

static pthread_mutex_t plugin_mutex = PTHREAD_MUTEX_INITIALIZER;

static void *plugin_waiter(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&plugin_mutex);
	pthread_mutex_unlock(&plugin_mutex);
	return NULL;
}

void call_through_plugin(void (*function)(void))
{
	struct timespec time = {0, 50000000};
	pthread_t waiter;

	function();
	pthread_mutex_lock(&plugin_mutex);
	if (pthread_create(&waiter, NULL, plugin_waiter, NULL) == 0) {
		nanosleep(&time, NULL);
		pthread_mutex_unlock(&plugin_mutex);
		pthread_join(waiter, NULL);
	}
}
