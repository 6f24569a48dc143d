/* A source file without ownline/pthread.h that gets locks of one with it. */
#include <pthread.h>

int plain_lock(void *mutex);
int plain_unlock(void *mutex);

int plain_lock(void *mutex)
{
	return pthread_mutex_lock(mutex);
}

int plain_unlock(void *mutex)
{
	return pthread_mutex_unlock(mutex);
}
