#define _GNU_SOURCE 1 /* secure_getenv */
#include "stats/region_join.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(int fd, const struct stat *wanted)
{
	struct stat found;

	return fstat(fd, &found) == 0 && found.st_dev == wanted->st_dev &&
	       found.st_ino == wanted->st_ino;
}

static bool header_is_valid(const struct own_region *header, off_t size)
{
	return header->magic == OWN_REGION_MAGIC && header->version == OWN_REGION_VERSION &&
	       header->segment_offset == OWN_PAGE_MAX &&
	       header->segment_stride == OWN_SEGMENT_STRIDE && header->segment_count > 0 &&
	       header->segment_count <= OWN_REGION_SEGMENTS_MAX &&
	       (uint64_t)size >= OWN_REGION_BYTES(header->segment_count);
}

struct own_region *own_region_map_header(int fd)
{
	struct own_region *header;
	struct stat file;

	if (fstat(fd, &file) != 0 || file.st_size < OWN_PAGE_MAX)
		return NULL;
	header = mmap(NULL, OWN_PAGE_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED)
		return NULL;
	if (header->magic == OWN_REGION_MAGIC && header->version != OWN_REGION_VERSION)
		own_store_relaxed(own_region_stranger(header), OWN_REGION_VERSION);
	if (!header_is_valid(header, file.st_size)) {
		munmap(header, OWN_PAGE_MAX);
		return NULL;
	}
	madvise(header, OWN_PAGE_MAX, MADV_DONTDUMP);
	return header;
}

/* The inherited descriptor may have been closed, and its number given to another file since. */
int own_region_open(bool *opened)
{
	const char *text = secure_getenv(OWN_REGION_ENVIRONMENT);
	char path[64];
	char rest;
	unsigned long long device;
	unsigned long long inode;
	struct stat wanted;
	int fd;
	int launcher;

	*opened = false;
	if (text == NULL ||
	    sscanf(text, "%d:%llu:%llu:%d%c", &fd, &device, &inode, &launcher, &rest) != 4)
		return -1;
	wanted.st_dev = (dev_t)device;
	wanted.st_ino = (ino_t)inode;
	if (same_file(fd, &wanted))
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", launcher, fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	*opened = true;
	if (same_file(fd, &wanted))
		return fd;
	close(fd);
	return -1;
}

bool own_region_is_foreign(const struct own_region *region)
{
	struct stat own;

	return stat("/proc/self/ns/pid", &own) != 0 ||
	       (uint64_t)own.st_ino != region->pid_namespace;
}

static void raise_used(struct own_region *region, uint32_t used)
{
	uint32_t seen = own_load_relaxed(&region->segments_used);

	while (seen < used && !own_cas_relaxed(&region->segments_used, &seen, used))
		;
}

uint32_t own_region_take(struct own_region *region)
{
	for (uint32_t word = 0; word * 64 < region->segment_count; word++) {
		uint64_t taken = own_load_relaxed(&region->taken[word]);

		while (taken != UINT64_MAX) {
			uint32_t bit = (uint32_t)__builtin_ctzll(~taken);
			uint32_t index = word * 64 + bit;

			if (index >= region->segment_count)
				break;
			/* Acquire: pairs with the release in own_region_return, after which the
			   segment is seen cleared. */
			if (own_cas_acquire(&region->taken[word], &taken,
					    taken | UINT64_C(1) << bit)) {
				raise_used(region, index + 1);
				return index;
			}
		}
	}
	own_fetch_add_relaxed(&region->segments_refused, 1);
	return OWN_NO_SEGMENT;
}

static void release(struct own_region *region, uint32_t index)
{
	own_fetch_and_release(&region->taken[index / 64], ~(UINT64_C(1) << index % 64));
}

void own_region_return(struct own_region *region, uint32_t index)
{
	own_fetch_add_relaxed(&region->segments_returned, 1);
	release(region, index);
}

void own_region_refuse(struct own_region *region, uint32_t index)
{
	own_fetch_add_relaxed(&region->segments_refused, 1);
	release(region, index);
}
