// A C++ program of somebody else's: the standard library's locks, and a native one.
#include <ownline/ownline.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
	std::mutex mutex;
	std::condition_variable cond;
	ownline_mutex native = OWNLINE_MUTEX_INIT;
	std::vector<std::thread> threads;
	ownline_stats stats;
	long sum = 0, native_sum = 0;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			for (int n = 0; n < 20000; n++) {
				{
					std::lock_guard<std::mutex> hold(mutex);
					sum++;
				}
				ownline_mutex_lock(&native);
				native_sum++;
				ownline_mutex_unlock(&native);
			}
		});
	for (auto &thread : threads)
		thread.join();
	if (sum != 80000 || native_sum != 80000)
		return 2;

	std::unique_lock<std::mutex> hold(mutex);
	if (cond.wait_for(hold, std::chrono::milliseconds(20), [] { return false; }))
		return 3;
	ownline_stats_read(&stats);
	if (stats.timed_out == 0)
		return 4;
	std::puts("all counted");
	return 0;
}
