// std::mutex and its kin, std::condition_variable, futures: unchanged C++ on whatever pthread is.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace
{

void check(bool condition, const char *what)
{
	if (!condition) {
		std::fprintf(stderr, "cxx_threads: %s\n", what);
		std::_Exit(1);
	}
}

template <class Work> void in_threads(unsigned count, Work work)
{
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < count; i++)
		threads.emplace_back([&work, i] { work(i); });
	for (auto &thread : threads)
		thread.join();
}

// Locked while global objects are made and after main: constexpr initialisation only.
std::mutex global;
struct early_and_late {
	early_and_late()
	{
		std::lock_guard<std::mutex> guard(global);
	}
	~early_and_late()
	{
		std::lock_guard<std::mutex> guard(global);
	}
} witness;

thread_local early_and_late per_thread; // its destructor locks while the thread ends

void mutexes()
{
	std::mutex plain;
	std::recursive_mutex again;
	std::timed_mutex timed;
	std::recursive_timed_mutex both;
	unsigned long counts[4] = {};

	in_threads(8, [&](unsigned number) {
		(void)&per_thread;
		for (unsigned i = 0; i < 5000; i++) {
			{
				std::lock_guard<std::mutex> guard(plain);
				counts[0]++;
			}
			{
				std::lock_guard<std::recursive_mutex> outer(again);
				std::lock_guard<std::recursive_mutex> inner(again);
				counts[1]++;
			}
			while (!timed.try_lock_for(std::chrono::microseconds(number * 10)))
				std::this_thread::yield();
			counts[2]++;
			timed.unlock();
			while (!both.try_lock_until(std::chrono::system_clock::now() + 1ms))
				continue;
			counts[3]++;
			both.unlock();
			if (i % 16 == 0) {
				std::scoped_lock guard(plain, timed);
				counts[0]++;
				counts[2]++;
			}
		}
	});
	check(counts[0] == 8 * (5000 + 313), "std::mutex");
	check(counts[1] == 8 * 5000, "std::recursive_mutex");
	check(counts[2] == 8 * (5000 + 313), "std::timed_mutex");
	check(counts[3] == 8 * 5000, "std::recursive_timed_mutex");
}

// Mutexes that are never destroyed by pthread_mutex_destroy, their memory used again.
void shared_ownership()
{
	struct object {
		std::mutex mutex;
		unsigned value = 0;
	};
	for (unsigned i = 0; i < 300; i++) {
		auto shared = std::make_shared<object>();
		in_threads(3, [held = std::move(shared)](unsigned) mutable {
			auto mine = held;
			std::lock_guard<std::mutex> guard(mine->mutex);
			mine->value++;
		});
	}
}

void queue()
{
	std::mutex mutex;
	std::condition_variable not_empty;
	std::condition_variable_any not_full;
	std::deque<unsigned> items;
	std::atomic<unsigned long> sum{0};
	unsigned timeouts = 0;

	in_threads(8, [&](unsigned number) {
		for (unsigned i = 0; i < 2000; i++) {
			std::unique_lock<std::mutex> lock(mutex);
			if (number % 2 == 0) {
				not_full.wait(lock, [&] { return items.size() < 4; });
				items.push_back(i);
				not_empty.notify_one();
				continue;
			}
			while (!not_empty.wait_for(lock, 50us, [&] { return !items.empty(); }))
				timeouts++;
			sum += items.front();
			items.pop_front();
			lock.unlock();
			not_full.notify_one();
		}
	});
	check(items.empty() && sum == 4ul * 2000 * 1999 / 2, "std::condition_variable");
}

void futures()
{
	std::vector<std::future<unsigned long>> parts;
	std::once_flag once;
	unsigned calls = 0;
	unsigned long sum = 0;

	for (unsigned i = 0; i < 32; i++) {
		parts.push_back(std::async(std::launch::async, [&once, &calls, i] {
			std::call_once(once, [&calls] { calls++; });
			std::vector<unsigned long> values(1000);
			std::iota(values.begin(), values.end(), i * 1000ul);
			return std::accumulate(values.begin(), values.end(), 0ul);
		}));
	}
	for (auto &part : parts)
		sum += part.get();
	check(calls == 1, "std::call_once");
	check(sum == 32000ul * 31999 / 2, "std::async");
}

} // namespace

int main()
{
	mutexes();
	shared_ownership();
	queue();
	futures();
	std::puts("cxx_threads: mutexes, conditions and futures are right");
}
