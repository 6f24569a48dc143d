// What the programs of this folder share: threads that work until the time is up, each timing every
// 16th of its operations, and the line of figures that scripts/bench-real reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace load
{

using clock = std::chrono::steady_clock;

struct worker {
	unsigned number;
	unsigned random;
	unsigned long operations = 0;
	std::vector<float> microseconds;

	explicit worker(unsigned n) : number(n), random(2654435761u * (n + 1))
	{
	}

	unsigned next()
	{
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		return random;
	}
};

inline std::atomic<bool> over{false};

inline double since(clock::time_point began)
{
	return std::chrono::duration<double>(clock::now() - began).count();
}

/// Calls once(worker) again and again in each of `threads` threads for so long.
template <class Once> std::vector<worker> run(unsigned threads, double seconds, Once once)
{
	std::vector<worker> workers;
	std::vector<std::thread> running;
	std::atomic<bool> begin{false};
	const auto body = [&](worker &mine) {
		while (!begin)
			std::this_thread::yield();
		while (!over) {
			const bool timed = mine.operations % 16 == 0;
			const auto start = timed ? clock::now() : clock::time_point();
			once(mine);
			if (timed)
				mine.microseconds.push_back(static_cast<float>(since(start) * 1e6));
			mine.operations++;
		}
	};

	for (unsigned i = 0; i < threads; i++)
		workers.emplace_back(i);
	for (auto &mine : workers)
		running.emplace_back(body, std::ref(mine));
	begin = true;
	std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
	over = true;
	for (auto &thread : running)
		thread.join();
	return workers;
}

inline void print(const std::vector<worker> &workers, double seconds)
{
	std::vector<float> all;
	unsigned long operations = 0;
	double sum = 0;

	for (const auto &mine : workers) {
		operations += mine.operations;
		all.insert(all.end(), mine.microseconds.begin(), mine.microseconds.end());
	}
	std::sort(all.begin(), all.end());
	for (float value : all)
		sum += value;
	const auto at = [&](double share) {
		return all[static_cast<size_t>(share * static_cast<double>(all.size() - 1))];
	};
	std::printf("operations %lu seconds %.4f mean_us %.3f p95_us %.3f p99_us %.3f\n",
		    operations, seconds, sum / static_cast<double>(all.size()), at(0.95), at(0.99));
}

/// THREADS and SECONDS of the command line; ends the program if they are none.
inline void arguments(char **words, const char *usage, unsigned *threads, double *seconds)
{
	char *end_threads, *end_seconds;

	*threads = static_cast<unsigned>(std::strtoul(words[0], &end_threads, 10));
	*seconds = std::strtod(words[1], &end_seconds);
	if (*end_threads || *end_seconds || *threads < 1 || *threads > 1000 || !(*seconds > 0)) {
		std::fprintf(stderr, "%s; THREADS from 1 to 1000, SECONDS above 0\n", usage);
		std::exit(2);
	}
}

} // namespace load
