/* A private condition variable works with every kind of mutex: wait, time-out, signal, broadcast.
 */
#include "support/kinds.h"
#include "support/threads.h"

#define WAITERS 4

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static int tokens, waiting;

static void *take_token(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	waiting++;
	while (!tokens)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	tokens--;
	waiting--;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void give_tokens(int count, int (*wake)(pthread_cond_t *))
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	tokens += count;
	CHECK_OK(wake(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static int waiting_now(void)
{
	int now;

	CHECK_OK(pthread_mutex_lock(&mutex));
	now = waiting;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return now;
}

static void check_timeout(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 20);

	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &soon));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	struct check_thread threads[WAITERS];

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_OK(pthread_cond_init(&cond, NULL));
		tokens = 0;
		for (int i = 0; i < WAITERS; i++)
			check_start(&threads[i], take_token, NULL);
		check_await_guarded(&mutex, &waiting, WAITERS);
		for (int i = 0; i < WAITERS; i++)
			check_await_asleep(&threads[i]);
		check_timeout();
		CHECK_EQ(waiting_now(), WAITERS);
		give_tokens(1, pthread_cond_signal);
		check_await_guarded(&mutex, &waiting, WAITERS - 1);
		give_tokens(WAITERS - 1, pthread_cond_broadcast);
		for (int i = 0; i < WAITERS; i++)
			check_join(&threads[i]);
		CHECK_EQ(waiting_now(), 0);
		CHECK_OK(pthread_cond_destroy(&cond));
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
