/* calloc'd memory and PTHREAD_MUTEX_INITIALIZER are the same mutex, contended or not. */
#include "support/kinds.h"
#include "support/threads.h"

static const pthread_mutex_t initialiser = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *mutex;
static long plain;

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50000; i++) {
		CHECK_OK(pthread_mutex_lock(mutex));
		plain++;
		CHECK_OK(pthread_mutex_unlock(mutex));
	}
	return NULL;
}

int main(void)
{
	struct check_thread threads[2];

	check_begin();
	mutex = calloc(1, sizeof(*mutex));
	CHECK(mutex);
	CHECK(memcmp(mutex, &initialiser, sizeof(initialiser)) == 0);
	for (int i = 0; i < 2; i++)
		check_start(&threads[i], add, NULL);
	for (int i = 0; i < 2; i++)
		check_join(&threads[i]);
	CHECK_EQ(plain, 100000);
	CHECK_OK(pthread_mutex_trylock(mutex));
	CHECK_ERR(pthread_mutex_trylock(mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(mutex));
	free(mutex);
	return 0;
}
