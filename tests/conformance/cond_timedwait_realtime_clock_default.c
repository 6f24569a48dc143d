/* Without attributes a condition variable measures its deadlines on CLOCK_REALTIME. */
#include "support/kinds.h"
#include "support/threads.h"

static void check_default(pthread_cond_t *cond)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec real = check_after_ms(CLOCK_REALTIME, 30);
	struct timespec uptime = check_after_ms(CLOCK_MONOTONIC, 3600 * 1000);

	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_cond_timedwait(cond, &mutex, &real), ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &real));
	/* An hour from now since boot is decades ago in real time: returns at once. */
	CHECK_ERR(pthread_cond_timedwait(cond, &mutex, &uptime), ETIMEDOUT);
	CHECK(!check_is_past(CLOCK_MONOTONIC, &uptime));
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	static pthread_cond_t initialised = PTHREAD_COND_INITIALIZER;
	static pthread_cond_t zeroed, from_null, from_attributes;
	pthread_condattr_t attributes;
	clockid_t clock;

	check_begin();
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_OK(pthread_condattr_getclock(&attributes, &clock));
	CHECK_EQ(clock, CLOCK_REALTIME);
	CHECK_OK(pthread_cond_init(&from_null, NULL));
	CHECK_OK(pthread_cond_init(&from_attributes, &attributes));
	check_default(&initialised);
	check_default(&zeroed);
	check_default(&from_null);
	check_default(&from_attributes);
	return 0;
}
