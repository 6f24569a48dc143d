/* Loaded late by `ends plugin`: its calling sites are in no module that was there at the start. */
#include "support/threads.h"

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
	struct check_thread waiter;

	function();
	pthread_mutex_lock(&plugin_mutex);
	check_start(&waiter, plugin_waiter, NULL);
	check_await_asleep(&waiter);
	pthread_mutex_unlock(&plugin_mutex);
	check_join(&waiter);
}
