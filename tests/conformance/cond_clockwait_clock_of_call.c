/* pthread_cond_clockwait measures on the clock of the call, whatever the attribute says. */
#include "support/kinds.h"
#include "support/threads.h"

static void check_clocks(pthread_cond_t *cond)
{
	static const clockid_t refused[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_BOOTTIME,
					    CLOCK_MONOTONIC_RAW, -1, 4711};
	static const clockid_t allowed[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec soon;

	CHECK_OK(pthread_mutex_lock(&mutex));
	for (int i = 0; i < 2; i++) {
		soon = check_after_ms(allowed[i], 20);
		CHECK_ERR(pthread_cond_clockwait(cond, &mutex, allowed[i], &soon), ETIMEDOUT);
		CHECK(check_is_past(allowed[i], &soon));
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK_ERR(pthread_cond_clockwait(cond, &mutex, refused[i], &soon), EINVAL);
	CHECK_ERR(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	pthread_cond_t real = PTHREAD_COND_INITIALIZER, monotonic;
	pthread_condattr_t attributes;

	check_begin();
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
	CHECK_OK(pthread_cond_init(&monotonic, &attributes));
	check_clocks(&real);
	check_clocks(&monotonic);
	return 0;
}
