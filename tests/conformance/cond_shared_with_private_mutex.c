/* A process-shared condition variable also serves a private mutex of any kind within one process.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define THREADS 4
#define ROUNDS	300

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static int arrived, generation, timeouts;

static void *meet(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		int mine;

		CHECK_OK(pthread_mutex_lock(&mutex));
		mine = generation;
		if (++arrived == THREADS) {
			arrived = 0;
			generation++;
			CHECK_OK(pthread_cond_broadcast(&cond));
		}
		while (generation == mine)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	return NULL;
}

static void *time_out(void *unused)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);
	int error = 0;

	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!error)
		error = pthread_cond_timedwait(&cond, &mutex, &soon);
	CHECK_ERR(error, ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &soon));
	timeouts++;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(void)
{
	struct check_thread threads[THREADS + 1];
	pthread_condattr_t attributes;

	check_begin();
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_OK(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_cond_init(&cond, &attributes));
		arrived = generation = timeouts = 0;
		for (int i = 0; i < THREADS; i++)
			check_start(&threads[i], meet, NULL);
		check_start(&threads[THREADS], time_out, NULL);
		for (int i = 0; i <= THREADS; i++)
			check_join(&threads[i]);
		CHECK_EQ(generation, ROUNDS);
		CHECK_EQ(timeouts, 1);
		CHECK_OK(pthread_cond_destroy(&cond));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
