// The headers as C++17, beside the standard library's own locks.
#include <ownline/ownline.h>
#include <ownline/pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

extern "C" int headers_cxx(void);

namespace
{
struct shard {
	ownline_mutex mutex = OWNLINE_MUTEX_INIT;
	ownline_cond cond = OWNLINE_COND_INIT;
	pthread_mutex_t mapped = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_t mapped_cond = PTHREAD_COND_INITIALIZER;
	int value = 0;
};
static_assert(std::is_standard_layout<ownline_mutex>::value, "a C type");
static_assert(alignof(ownline_mutex) == 64 && sizeof(ownline_mutex) == 64, "a line");
static_assert(sizeof(pthread_mutex_t) == 64 && sizeof(pthread_cond_t) == 64, "mapped");
static_assert(sizeof(std::mutex) == 40, "the standard library's is not mapped");

// What BasicLockable needs: std::lock_guard works with a native mutex.
class native_mutex
{
      public:
	void lock()
	{
		ownline_mutex_lock(&mutex_);
	}
	void unlock()
	{
		ownline_mutex_unlock(&mutex_);
	}

      private:
	ownline_mutex mutex_ = OWNLINE_MUTEX_INIT;
};
} // namespace

extern "C" int headers_cxx(void)
{
	auto one = std::make_unique<shard>();
	std::timed_mutex standard;
	native_mutex native;
	std::vector<std::thread> threads;

	if (reinterpret_cast<uintptr_t>(&one->mutex) % 64 != 0)
		return 2;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			for (int n = 0; n < 1000; n++) {
				std::lock_guard<native_mutex> hold(native);
				std::lock_guard<std::timed_mutex> hold_too(standard);

				pthread_mutex_lock(&one->mapped);
				pthread_mutex_lock(&one->mapped);
				one->value++;
				pthread_mutex_unlock(&one->mapped);
				pthread_mutex_unlock(&one->mapped);
			}
		});
	for (auto &thread : threads)
		thread.join();
	pthread_cond_signal(&one->mapped_cond);
	return one->value == 4000 ? 0 : 3;
}
