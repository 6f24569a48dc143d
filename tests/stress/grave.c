#include "grave.h"
#include "stress.h"

#include <string.h>
#include <sys/mman.h>

void *grave_dig(size_t pages)
{
	void *memory = mmap(NULL, pages * GRAVE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		stress_fail("no memory for %zu pages", pages);
	return memory;
}

void grave_bury(void *page, enum burial how)
{
	switch (how) {
	case BURY_UNMAP:
		munmap(page, GRAVE_PAGE);
		break;
	case BURY_PROTECT:
		mprotect(page, GRAVE_PAGE, PROT_NONE);
		break;
	default:
		memset(page, GRAVE_POISON, GRAVE_PAGE);
	}
}

void grave_check(const void *page)
{
	const unsigned char *bytes = page;

	for (size_t i = 0; i < GRAVE_PAGE; i++) {
		if (bytes[i] != GRAVE_POISON)
			stress_fail("byte %zu of a freed object was written: 0x%02x", i, bytes[i]);
	}
}

void grave_clear(void *pages, size_t count)
{
	munmap(pages, count * GRAVE_PAGE);
}
