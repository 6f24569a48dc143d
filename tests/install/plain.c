/* A program that has never heard of ownline; it says whose pthread_mutex_lock it got. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	Dl_info info;

	if (pthread_mutex_lock(&mutex) != 0 || pthread_mutex_unlock(&mutex) != 0)
		return 1;
	if (!dladdr((void *)(uintptr_t)pthread_mutex_lock, &info))
		return 2;
	puts(info.dli_fname);
	return 0;
}
