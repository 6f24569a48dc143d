#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/micro.h"

void own_micro_register(const char *name, const struct own_peer *peer, struct own_bench bench)
{
	char full[64];

	snprintf(full, sizeof(full), "%s/%s", name, peer->name);
	bench.name = full;
	own_bench_register(&bench);
}

void *own_micro_allocate(size_t count, size_t size, size_t align)
{
	size_t alignment = align < 128 ? 128 : align;
	size_t bytes = (count * size + alignment - 1) / alignment * alignment;
	void *memory = aligned_alloc(alignment, bytes);

	if (!memory) {
		fprintf(stderr, "own-micro: out of memory for %zu bytes\n", bytes);
		exit(2);
	}
	return memset(memory, 0, bytes);
}
