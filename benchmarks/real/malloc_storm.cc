/*
 * malloc_storm THREADS SECONDS: threads allocate blocks of mixed sizes, leave them in slots that
 * all share and free what they find there, which mostly another thread has allocated. It takes no
 * lock itself: what contends are the locks of the allocator. An operation is a block exchanged.
 */
#include "load.h"

#include <cstring>

namespace
{

const char usage[] = "usage: malloc_storm THREADS SECONDS";
constexpr unsigned slot_count = 4096;
std::atomic<unsigned char *> slots[slot_count];

void exchange(load::worker &mine)
{
	const unsigned random = mine.next();
	const size_t size = random % 50 == 0 ? 20000 : 16 + random % 2000;
	auto *block = static_cast<unsigned char *>(std::malloc(size));

	if (!block)
		std::abort();
	block[0] = block[size - 1] = static_cast<unsigned char>(random);
	std::free(slots[mine.next() % slot_count].exchange(block));
}

} // namespace

int main(int argc, char **argv)
{
	unsigned threads;
	double seconds;

	if (argc != 3) {
		std::fprintf(stderr, "%s\n", usage);
		return 2;
	}
	load::arguments(argv + 1, usage, &threads, &seconds);
	const auto began = load::clock::now();
	const auto workers = load::run(threads, seconds, exchange);
	load::print(workers, load::since(began));
}
