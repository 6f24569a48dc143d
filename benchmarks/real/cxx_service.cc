/*
 * cxx_service cache|queue THREADS SECONDS: what C++ services do with std::mutex.
 *
 * cache: a cache of 10 000 strings with eviction of the least recently used one, behind one
 * std::mutex. An operation looks a key up, and stores it if it is missing.
 * queue: half of the threads hand jobs to the other half, through a deque of at most 64 behind a
 * std::mutex with two std::condition_variables. An operation is a job handed over or done.
 */
#include "load.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

namespace
{

const char usage[] = "usage: cxx_service cache|queue THREADS SECONDS";

class lru_cache
{
      public:
	bool find(const std::string &key, std::string *value)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		const auto found = index_.find(key);
		if (found == index_.end())
			return false;
		order_.splice(order_.begin(), order_, found->second);
		*value = found->second->second;
		return true;
	}

	void store(const std::string &key, std::string value)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		if (index_.count(key))
			return;
		order_.emplace_front(key, std::move(value));
		index_[key] = order_.begin();
		if (index_.size() > most) {
			index_.erase(order_.back().first);
			order_.pop_back();
		}
	}

      private:
	static constexpr size_t most = 10000;
	using entry = std::pair<std::string, std::string>;
	std::mutex mutex_;
	std::list<entry> order_;
	std::unordered_map<std::string, std::list<entry>::iterator> index_;
};

class job_queue
{
      public:
	/// False once the queue is closed.
	bool put(std::function<void()> job)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		not_full_.wait(lock, [&] { return jobs_.size() < 64 || closed_; });
		if (closed_)
			return false;
		jobs_.push_back(std::move(job));
		lock.unlock();
		not_empty_.notify_one();
		return true;
	}

	bool run_one()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		not_empty_.wait(lock, [&] { return !jobs_.empty() || closed_; });
		if (closed_)
			return false;
		const auto job = std::move(jobs_.front());
		jobs_.pop_front();
		lock.unlock();
		not_full_.notify_one();
		job();
		return true;
	}

	void close()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		closed_ = true;
		not_full_.notify_all();
		not_empty_.notify_all();
	}

      private:
	std::mutex mutex_;
	std::condition_variable not_full_, not_empty_;
	std::deque<std::function<void()>> jobs_;
	bool closed_ = false;
};

// The minimum of two: small keys come up more often, as in a cache that is worth having.
std::string key(load::worker &mine)
{
	return "user:" + std::to_string(std::min(mine.next() % 20000, mine.next() % 20000));
}

std::vector<load::worker> cache(unsigned threads, double seconds)
{
	static lru_cache shared;

	return load::run(threads, seconds, [](load::worker &mine) {
		const std::string wanted = key(mine);
		std::string value;
		if (!shared.find(wanted, &value))
			shared.store(wanted, "the value of " + wanted);
	});
}

std::vector<load::worker> queue(unsigned threads, double seconds)
{
	static job_queue shared;
	static std::atomic<unsigned long> sum{0};
	std::thread closer([&] {
		std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
		load::over = true;
		shared.close();
	});
	auto workers = load::run(threads, seconds, [](load::worker &mine) {
		if (mine.number % 2) {
			shared.run_one();
			return;
		}
		const unsigned number = mine.next();
		shared.put(
		    [number] { sum += std::hash<std::string>()(std::to_string(number)) % 2; });
	});

	closer.join();
	return workers;
}

} // namespace

int main(int argc, char **argv)
{
	unsigned threads;
	double seconds;

	if (argc != 4 ||
	    (std::strcmp(argv[1], "cache") != 0 && std::strcmp(argv[1], "queue") != 0)) {
		std::fprintf(stderr, "%s\n", usage);
		return 2;
	}
	load::arguments(argv + 2, usage, &threads, &seconds);
	const auto began = load::clock::now();
	const auto workers = (argv[1][0] == 'c' ? cache : queue)(threads, seconds);
	load::print(workers, load::since(began));
}
