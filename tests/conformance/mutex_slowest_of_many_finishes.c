/*
 * Threads that never stop locking do not keep others out: each of the counted threads must get its
 * share while the greedy ones go on until all have it.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define GREEDY	4
#define COUNTED 60
#define SHARE	200

static pthread_mutex_t mutex;
static atomic_int finished;

static void *greedy(void *unused)
{
	(void)unused;
	while (atomic_load_explicit(&finished, memory_order_relaxed) < COUNTED) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		for (volatile int i = 0; i < 50; i++)
			;
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void *counted(void *unused)
{
	(void)unused;
	for (int i = 0; i < SHARE; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	atomic_fetch_add(&finished, 1);
	return NULL;
}

int main(void)
{
	static struct check_thread threads[GREEDY + COUNTED];

	check_begin();
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		atomic_store(&finished, 0);
		for (int i = 0; i < GREEDY + COUNTED; i++)
			check_start(&threads[i], i < GREEDY ? greedy : counted, NULL);
		for (int i = 0; i < GREEDY + COUNTED; i++)
			check_join(&threads[i]);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
