#include "tools/region_map.h"

#include "stats/counters.h"
#include "stats/region_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs expect their first files at low numbers, and some rely on it. */
static int move_high(int fd)
{
	struct rlimit limit;
	int lowest = 900;
	int high = -1;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1024)
		lowest = (int)limit.rlim_cur * 7 / 8;
	while (high < 0 && lowest > 2) {
		high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
		lowest /= 2;
	}
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

int own_region_map_create(struct own_region_map *map)
{
	uint64_t bytes = OWN_REGION_BYTES(OWN_REGION_SEGMENTS);
	struct stat file;
	int error;

	memset(map, 0, sizeof(*map));
	map->fd = memfd_create("ownline", MFD_CLOEXEC);
	if (map->fd < 0)
		return errno;
	map->fd = move_high(map->fd);
	if (ftruncate(map->fd, (off_t)bytes) != 0)
		goto fail;
	map->header = mmap(NULL, OWN_PAGE_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd, 0);
	if (map->header == MAP_FAILED)
		goto fail;
	map->header->pid_namespace = stat("/proc/self/ns/pid", &file) == 0 ? file.st_ino : 0;
	map->header->version = OWN_REGION_VERSION;
	map->header->segment_count = OWN_REGION_SEGMENTS;
	map->header->segment_offset = OWN_PAGE_MAX;
	map->header->segment_stride = OWN_SEGMENT_STRIDE;
	map->header->launcher_pid = (int32_t)getpid();
	map->header->magic = OWN_REGION_MAGIC;
	return 0;
fail:
	error = errno;
	close(map->fd);
	return error;
}

size_t own_region_map_used(const struct own_region_map *map)
{
	uint32_t used = own_load_relaxed(&map->header->segments_used);

	return used < OWN_REGION_SEGMENTS ? used : OWN_REGION_SEGMENTS;
}

struct own_segment *own_region_map_segment(struct own_region_map *map, size_t index)
{
	struct own_segment *segment = map->segments[index];

	if (index >= own_region_map_used(map))
		return NULL;
	if (segment == NULL) {
		segment = mmap(NULL, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED,
			       map->fd, (off_t)OWN_SEGMENT_OFFSET(index));
		if (segment == MAP_FAILED)
			return NULL;
		map->segments[index] = segment;
	}
	/* Acquire: pairs with the release in the runtime once the segment is described. */
	return own_load_acquire(&segment->state) == OWN_SEGMENT_FREE ? NULL : segment;
}

void own_region_map_describe(const struct own_region_map *map, char *text, size_t size)
{
	struct stat file;

	if (fstat(map->fd, &file) != 0)
		memset(&file, 0, sizeof(file));
	snprintf(text, size, "%d:%llu:%llu:%d", map->fd, (unsigned long long)file.st_dev,
		 (unsigned long long)file.st_ino, (int)getpid());
}

void own_region_map_return(struct own_region_map *map, size_t index)
{
	struct own_segment *segment = map->segments[index];

	/* The pages go as well: the next process that takes it starts with none. */
	if (madvise(segment, OWN_SEGMENT_STRIDE, MADV_REMOVE) != 0)
		own_segment_clear(segment);
	own_region_return(map->header, (uint32_t)index);
}

void own_region_map_destroy(struct own_region_map *map)
{
	for (size_t i = 0; i < OWN_REGION_SEGMENTS; i++) {
		if (map->segments[i] != NULL)
			munmap(map->segments[i], OWN_SEGMENT_STRIDE);
	}
	munmap(map->header, OWN_PAGE_MAX);
	close(map->fd);
}
