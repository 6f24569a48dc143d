/*
 * Threads allocate, hand blocks to each other and free them, and fork now and then: the locks of
 * the allocator are contended. Every block must still hold what its maker wrote.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, SLOTS = 256, TURNS = 20000, FORKS = 20 };

struct block {
	size_t size;
	unsigned char mark;
	unsigned char bytes[];
};

static struct {
	pthread_mutex_t mutex;
	struct block *block;
} slots[SLOTS];

static struct block *make(uint32_t random)
{
	size_t size = random % 50 == 0 ? 100000 : random % 2000;
	struct block *block = malloc(sizeof(*block) + size);

	if (block == NULL)
		abort();
	block->size = size;
	block->mark = (unsigned char)random;
	memset(block->bytes, block->mark, size);
	return block;
}

static void check_and_free(struct block *block)
{
	if (block == NULL)
		return;
	for (size_t i = 0; i < block->size; i++) {
		if (block->bytes[i] != block->mark) {
			fputs("malloc_storm: a block was changed\n", stderr);
			_exit(1);
		}
	}
	free(block);
}

static void *storm(void *argument)
{
	uint32_t random = (uint32_t)(uintptr_t)argument * 2654435761u + 1;

	for (unsigned i = 0; i < TURNS; i++) {
		random = random * 1664525u + 1013904223u;
		unsigned slot = (random >> 8) % SLOTS;
		struct block *block = make(random >> 4);
		pthread_mutex_lock(&slots[slot].mutex);
		struct block *old = slots[slot].block;
		slots[slot].block = block;
		pthread_mutex_unlock(&slots[slot].mutex);
		check_and_free(old);
	}
	return NULL;
}

static void fork_child(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(30);
		for (uint32_t i = 0; i < 200; i++)
			check_and_free(make(i * 77));
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "malloc_storm: a fork child failed, status 0x%x\n", status);
		_exit(1);
	}
}

int main(void)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < SLOTS; i++)
		pthread_mutex_init(&slots[i].mutex, NULL);
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, storm, (void *)i) != 0)
			abort();
	}
	for (unsigned i = 0; i < FORKS; i++)
		fork_child();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < SLOTS; i++)
		check_and_free(slots[i].block);
	puts("malloc_storm: every block was whole");
	return 0;
}
