// Cancellation unwinds C++ frames out of a condition wait: destructors run, with the mutex locked,
// and catch (...) may look at it if it throws it on.
#include "support/check.h"

#include <atomic>

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int destroyed, caught;
static std::atomic<bool> waiting;

struct guard {
	guard()
	{
		CHECK_OK(pthread_mutex_lock(&mutex));
	}
	~guard()
	{
		destroyed++;
		CHECK_OK(pthread_mutex_unlock(&mutex)); // EPERM if it were not locked by us
	}
};

static void wait_for_ever()
{
	guard lock;

	waiting = true;
	try {
		for (;;)
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
	} catch (...) {
		caught++;
		throw;
	}
}

static void *run(void *)
{
	wait_for_ever();
	return nullptr;
}

int main()
{
	check_begin();
	for (int round = 1; round <= 200; round++) {
		pthread_t thread;
		void *result;

		waiting = false;
		CHECK_OK(pthread_create(&thread, nullptr, run, nullptr));
		while (!waiting)
			usleep(100);
		if (round % 2)
			usleep(1000);
		CHECK_OK(pthread_cancel(thread));
		CHECK_OK(pthread_join(thread, &result));
		CHECK(result == PTHREAD_CANCELED);
		CHECK_EQ(destroyed, round);
		CHECK_EQ(caught, round);
		CHECK_OK(pthread_mutex_lock(&mutex));
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	CHECK_OK(pthread_cond_destroy(&cond));
	return 0;
}
