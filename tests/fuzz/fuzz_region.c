/*
 * What the runtime believes of OWNLINE_REGION and of the file that it names. The input: the
 * variable's text up to a newline ('@' stands for a right one), then pairs of bytes: an offset into
 * a good header, and the byte that is put there.
 */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz/fuzz.h"

#include "stats/region_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS 70 /* more than a word of the bit map */

static int region_fd = -1;
static struct own_region *header;

int __wrap_open(const char *path, int flags, ...);

/* No file of the machine is opened by a number that the fuzzer made up. */
int __wrap_open(const char *path, int flags, ...)
{
	int pid, fd, end = -1;

	FUZZ_CHECK(sscanf(path, "/proc/%d/fd/%d%n", &pid, &fd, &end) == 2 && path[end] == '\0');
	FUZZ_CHECK(flags == (O_RDWR | O_CLOEXEC));
	if (pid % 2 == 0)
		return fcntl(region_fd, F_DUPFD_CLOEXEC, 0);
	errno = ENOENT;
	return -1;
}

static void make_region(void)
{
	region_fd = memfd_create("region", MFD_CLOEXEC);
	FUZZ_CHECK(region_fd >= 0);
	FUZZ_CHECK(ftruncate(region_fd, (off_t)OWN_REGION_BYTES(SEGMENTS)) == 0);
	header = mmap(NULL, OWN_PAGE_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, region_fd, 0);
	FUZZ_CHECK(header != MAP_FAILED);
}

static void good_header(void)
{
	memset(header, 0, sizeof(*header));
	header->magic = OWN_REGION_MAGIC;
	header->version = OWN_REGION_VERSION;
	header->segment_count = SEGMENTS;
	header->segment_offset = OWN_PAGE_MAX;
	header->segment_stride = OWN_SEGMENT_STRIDE;
	header->launcher_pid = (int32_t)getpid();
}

static void name_region(const uint8_t *text, size_t length)
{
	char name[512];
	size_t used = 0;
	struct stat file;

	FUZZ_CHECK(fstat(region_fd, &file) == 0);
	for (size_t i = 0; i < length && used < sizeof(name) - 100 && text[i] != '\0'; i++) {
		if (text[i] != '@') {
			name[used++] = (char)text[i];
			continue;
		}
		used += (size_t)snprintf(name + used, sizeof(name) - used, "%d:%llu:%llu:%d",
					 region_fd, (unsigned long long)file.st_dev,
					 (unsigned long long)file.st_ino, (int)getpid());
	}
	name[used] = '\0';
	FUZZ_CHECK(setenv(OWN_REGION_ENVIRONMENT, name, 1) == 0);
}

static void use(struct own_region *region)
{
	uint32_t taken[SEGMENTS];
	size_t count = 0;

	/* A header that was accepted leads to no segment outside of the file. */
	FUZZ_CHECK(region->segment_count <= SEGMENTS);
	while (count < SEGMENTS) {
		uint32_t index = own_region_take(region);

		if (index == OWN_NO_SEGMENT)
			break;
		FUZZ_CHECK(index < region->segment_count);
		taken[count++] = index;
	}
	while (count > 0)
		own_region_return(region, taken[--count]);
	(void)own_region_is_foreign(region);
	munmap(region, OWN_PAGE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t text = newline ? (size_t)(newline - data) : size;
	struct own_region *region;
	bool opened;
	int fd;

	if (region_fd < 0)
		make_region();
	good_header();
	for (size_t i = text + 1; i + 1 < size; i += 2)
		((uint8_t *)header)[data[i] % sizeof(*header)] = data[i + 1];
	name_region(data, text);
	fd = own_region_open(&opened);
	if (fd < 0)
		return 0;
	region = own_region_map_header(fd);
	if (region)
		use(region);
	if (opened)
		close(fd);
	return 0;
}
