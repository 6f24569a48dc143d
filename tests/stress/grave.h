/*
 * Memory for objects that are freed while somebody may still be looking: a page each. A buried
 * page is unmapped, so that a late access is fatal, or filled with a pattern, so that a late write
 * is seen, or put to a new use.
 */
#ifndef STRESS_GRAVE_H
#define STRESS_GRAVE_H

#include <stddef.h>
#include <stdint.h>

enum burial {
	BURY_UNMAP,   /* munmap */
	BURY_PROTECT, /* mprotect(PROT_NONE) */
	BURY_POISON,  /* filled; grave_check looks for writes */
	BURIALS
};

#define GRAVE_PAGE   4096
#define GRAVE_POISON 0xa5

/* Zeroed pages. */
void *grave_dig(size_t pages);
void grave_bury(void *page, enum burial how);
/* Fails if a page buried by BURY_POISON was written to. */
void grave_check(const void *page);
/* Unmaps pages, buried or not; holes are no error. */
void grave_clear(void *pages, size_t count);

#endif
