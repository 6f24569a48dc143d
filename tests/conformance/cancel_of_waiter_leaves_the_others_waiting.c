/* Cancelled waiters leave; signals and broadcasts reach the ones that stay, and destroy does not
 * hang. */
#include "support/kinds.h"
#include "support/threads.h"

#define WAITERS 6

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static int tokens;
static atomic_int taken;

static void unlock(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *take_token(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(unlock, NULL);
	while (!tokens)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	tokens--;
	atomic_fetch_add(&taken, 1);
	pthread_cleanup_pop(1);
	return NULL;
}

/* Bit i of `cancelled`: whether waiter i is cancelled. */
static void check_pattern(unsigned cancelled, int broadcast)
{
	struct check_thread threads[WAITERS];
	int left = 0;

	CHECK_OK(pthread_cond_init(&cond, NULL));
	atomic_store(&taken, 0);
	for (int i = 0; i < WAITERS; i++) {
		check_start(&threads[i], take_token, NULL);
		check_await_asleep(&threads[i]);
	}
	for (int i = 0; i < WAITERS; i++) {
		if (cancelled >> i & 1) {
			CHECK_OK(pthread_cancel(threads[i].handle));
			CHECK(check_join(&threads[i]) == PTHREAD_CANCELED);
		} else {
			left++;
		}
	}
	CHECK_EQ(atomic_load(&taken), 0);
	for (int i = 1; i <= left && !broadcast; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		tokens++;
		CHECK_OK(pthread_cond_signal(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
		check_await(&taken, i);
	}
	if (broadcast) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		tokens = left;
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	for (int i = 0; i < WAITERS; i++)
		if (!(cancelled >> i & 1))
			CHECK(check_join(&threads[i]) == NULL);
	CHECK_EQ(tokens, 0);
	CHECK_OK(pthread_cond_destroy(&cond));
	memset(&cond, 0xff, sizeof(cond));
}

int main(void)
{
	static const unsigned patterns[] = {0x01, 0x20, 0x0c, 0x15, 0x2a, 0x1f, 0x3e, 0x3f};

	check_begin();
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		check_pattern(patterns[i], 0);
		check_pattern(patterns[i], 1);
	}
	return 0;
}
