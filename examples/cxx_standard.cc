// The C++ standard library's own locks, with not a word of ownline: its std::mutex and
// std::condition_variable are the C library's inside, and so run on whatever stands before it.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{
class channel
{
      public:
	void send(std::string text)
	{
		std::unique_lock<std::mutex> hold(mutex_);

		free_.wait(hold, [this] { return texts_.size() < 16; });
		texts_.push_back(std::move(text));
		filled_.notify_one();
	}

	bool receive(std::string &text)
	{
		std::unique_lock<std::mutex> hold(mutex_);

		filled_.wait(hold, [this] { return closed_ || !texts_.empty(); });
		if (texts_.empty())
			return false;
		text = std::move(texts_.back());
		texts_.pop_back();
		free_.notify_one();
		return true;
	}

	void close()
	{
		std::lock_guard<std::mutex> hold(mutex_);

		closed_ = true;
		filled_.notify_all();
	}

      private:
	std::mutex mutex_;
	std::condition_variable filled_, free_;
	std::vector<std::string> texts_;
	bool closed_ = false;
};
} // namespace

int main(int argc, char **argv)
{
	constexpr int senders = 4, receivers = 4, texts = 20000;
	std::vector<std::thread> sending, receiving;
	std::mutex sum_mutex;
	channel channel;
	long received = 0;

	if (argc > 1 && std::string(argv[1]) == "--help") {
		std::printf("Usage: %s   4 threads send 20000 texts each to 4 others\n", argv[0]);
		return 0;
	}
	if (argc > 1) {
		std::fprintf(stderr, "%s: unknown argument '%s'; leave it out\n", argv[0], argv[1]);
		return 2;
	}
	for (int i = 0; i < receivers; i++)
		receiving.emplace_back([&] {
			std::string text;
			long mine = 0;

			while (channel.receive(text))
				mine++;
			std::lock_guard<std::mutex> hold(sum_mutex);
			received += mine;
		});
	for (int i = 0; i < senders; i++)
		sending.emplace_back([&channel] {
			for (int n = 0; n < texts; n++)
				channel.send(std::to_string(n));
		});
	for (auto &thread : sending)
		thread.join();
	channel.close();
	for (auto &thread : receiving)
		thread.join();
	std::printf("%ld texts\n", received);
	return received == senders * texts ? 0 : 1;
}
