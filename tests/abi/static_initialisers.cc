// Static initialisers in C++: as globals, members and constants, and what the standard library
// makes of them (std::mutex is constexpr and is never destroyed by a call).
#include "support/check.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

struct member {
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
};

// A constant initialiser: no code runs for it, so it is valid before any constructor.
static std::mutex standard;
static std::recursive_mutex standard_recursive;
static std::timed_mutex standard_timed;
static std::condition_variable standard_cond;

static_assert(sizeof(std::mutex) == sizeof(pthread_mutex_t), "std::mutex is a pthread_mutex_t");
static_assert(std::is_trivially_destructible<std::mutex>::value, "nobody calls destroy");

static void check_pthread(pthread_mutex_t *mutex, int relock)
{
	CHECK_OK(pthread_mutex_lock(mutex));
	CHECK_ERR(pthread_mutex_trylock(mutex), relock);
	if (!relock)
		CHECK_OK(pthread_mutex_unlock(mutex));
	CHECK_OK(pthread_mutex_unlock(mutex));
}

static void check_standard()
{
	bool ready = false;
	std::thread thread([&] {
		std::unique_lock<std::mutex> lock(standard);

		standard_cond.wait(lock, [&] { return ready; });
	});

	{
		std::lock_guard<std::mutex> lock(standard);

		ready = true;
	}
	standard_cond.notify_all();
	thread.join();
	{
		std::lock_guard<std::recursive_mutex> once(standard_recursive);
		std::lock_guard<std::recursive_mutex> twice(standard_recursive);
	}
	CHECK(standard_timed.try_lock_for(std::chrono::seconds(1)));
	std::thread([] {
		CHECK(!standard_timed.try_lock_for(std::chrono::milliseconds(5)));
		CHECK(!standard_timed.try_lock_until(std::chrono::system_clock::now()));
	}).join();
	standard_timed.unlock();
}

int main()
{
	member object;

	check_begin();
	check_pthread(&plain, EBUSY);
	check_pthread(&recursive, 0);
	check_pthread(&errorcheck, EBUSY);
	check_pthread(&adaptive, EBUSY);
	check_pthread(&object.mutex, EBUSY);
	check_pthread(&object.nested, 0);
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_cond_signal(&object.cond));
	check_standard();
	return 0;
}
