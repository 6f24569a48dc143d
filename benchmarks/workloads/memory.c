#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "workloads/workload.h"

void *own_allocate(size_t count, size_t size)
{
	size_t bytes = (count * size + OWN_APART - 1) / OWN_APART * OWN_APART;
	void *memory = aligned_alloc(OWN_APART, bytes ? bytes : OWN_APART);

	if (!memory)
		own_fail("out of memory for %zu bytes; ask for less", bytes);
	return memset(memory, 0, bytes);
}

void *own_allocate_shared(size_t count, size_t size)
{
	void *memory =
	    mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		own_fail("out of memory for %zu shared bytes; ask for less", count * size);
	return memory;
}
