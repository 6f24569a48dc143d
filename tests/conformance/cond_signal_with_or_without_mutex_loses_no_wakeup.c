/* Producers signal with the mutex held or after they released it; every token is taken. */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

#define SIDES 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static struct check_options options;
static int tokens;
static unsigned long taken[SIDES];

static void *produce(void *number)
{
	uint64_t state = options.seed + (uintptr_t)number;

	for (unsigned long i = 0; i < options.rounds; i++) {
		int held = check_random(&state) & 1;

		CHECK_OK(pthread_mutex_lock(&mutex));
		while (tokens == 2)
			CHECK_OK(pthread_cond_wait(&not_full, &mutex));
		tokens++;
		if (held)
			CHECK_OK(pthread_cond_signal(&not_empty));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		if (!held)
			CHECK_OK(pthread_cond_signal(&not_empty));
	}
	return NULL;
}

static void *consume(void *number)
{
	uint64_t state = ~options.seed + (uintptr_t)number;

	for (unsigned long i = 0; i < options.rounds; i++) {
		int held = check_random(&state) & 1;

		CHECK_OK(pthread_mutex_lock(&mutex));
		while (tokens == 0)
			CHECK_OK(pthread_cond_wait(&not_empty, &mutex));
		tokens--;
		if (held)
			CHECK_OK(pthread_cond_signal(&not_full));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		if (!held)
			CHECK_OK(pthread_cond_signal(&not_full));
		taken[(uintptr_t)number]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct check_thread threads[2 * SIDES];

	check_begin();
	options = check_options(argc, argv, 20000);
	for (uintptr_t i = 0; i < 2 * SIDES; i++)
		check_start(&threads[i], i < SIDES ? produce : consume, (void *)(i % SIDES));
	for (int i = 0; i < 2 * SIDES; i++)
		check_join(&threads[i]);
	CHECK_EQ(tokens, 0);
	for (int i = 0; i < SIDES; i++)
		CHECK_EQ(taken[i], options.rounds);
	return 0;
}
