/* What is written under a mutex of any kind is seen by the next owner, and nobody else is inside.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define THREADS 4
#define ROUNDS	20000

static pthread_mutex_t mutex;
static long plain; /* not atomic on purpose */
static long inside;

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_EQ(inside++, 0);
		plain++;
		CHECK_EQ(--inside, 0);
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

int main(void)
{
	struct check_thread threads[THREADS];

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		plain = 0;
		for (int i = 0; i < THREADS; i++)
			check_start(&threads[i], add, NULL);
		for (int i = 0; i < THREADS; i++)
			check_join(&threads[i]);
		CHECK_EQ(plain, (long)THREADS * ROUNDS);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
