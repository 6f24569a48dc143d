/*
 * One of two waiters is cancelled at about the moment of a single signal. POSIX: a cancelled waiter
 * consumes no signal that another one could get, so one of them takes the token.
 */
#include "support/kinds.h"
#include "support/options.h"
#include "support/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int tokens, waiting;
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
	waiting++;
	CHECK_OK(pthread_cond_signal(&arrived));
	while (!tokens)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	tokens--;
	atomic_fetch_add(&taken, 1);
	pthread_cleanup_pop(1);
	return NULL;
}

static void await_waiting(int count)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (waiting < count)
		CHECK_OK(pthread_cond_wait(&arrived, &mutex));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void give_token(void)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	tokens++;
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_cond_signal(&cond));
}

static void *cancel(void *thread)
{
	CHECK_OK(pthread_cancel(((struct check_thread *)thread)->handle));
	return NULL;
}

int main(int argc, char **argv)
{
	struct check_options options;
	unsigned long cancelled = 0;
	uint64_t state;

	check_begin();
	options = check_options(argc, argv, 2000);
	state = options.seed;
	for (unsigned long i = 0; i < options.rounds; i++) {
		struct check_thread victim, other, canceller;
		int victim_first = check_random(&state) & 1;

		waiting = 0;
		atomic_store(&taken, 0);
		check_start(victim_first ? &victim : &other, take_token, NULL);
		await_waiting(1);
		check_start(victim_first ? &other : &victim, take_token, NULL);
		await_waiting(2);
		check_start(&canceller, cancel, &victim);
		check_jitter(&state, 60000);
		give_token();
		check_join(&canceller);
		check_await(&taken, 1); /* hangs here when the signal is lost */
		if (check_join(&victim) == PTHREAD_CANCELED)
			cancelled++;
		else
			give_token();
		check_join(&other);
		CHECK_EQ(tokens, 0);
	}
	printf("%lu of %lu cancelled\n", cancelled, options.rounds);
	return 0;
}
