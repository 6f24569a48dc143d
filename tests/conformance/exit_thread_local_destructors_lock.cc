// Destructors of thread_local objects lock contended std::mutexes and wait on
// std::condition_variables.
#include "support/check.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable cond;
static int destructions;

struct locker {
	int used = 0;

	~locker()
	{
		std::unique_lock<std::mutex> lock(mutex);

		destructions++;
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
		cond.wait_for(lock, std::chrono::milliseconds(1), [] { return false; });
		cond.notify_all();
	}
};

static thread_local locker first;
static thread_local locker second;

int main()
{
	check_begin();
	for (int round = 1; round <= 5; round++) {
		std::vector<std::thread> threads;

		for (int i = 0; i < 8; i++)
			threads.emplace_back([] {
				std::lock_guard<std::mutex> lock(mutex);
				first.used++;
				second.used++;
			});
		for (auto &thread : threads)
			thread.join();
		CHECK_EQ(destructions, round * 16);
	}
	return 0;
}
