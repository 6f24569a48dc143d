/*
 * Which memory is behind own_stats_segment().
 *
 * The segment is a page-aligned static object, so counting works before any constructor and costs
 * no look-up. To join a region, the region's segment is mapped elsewhere, filled in, and moved over
 * the static pages with one mremap: pointers into the segment stay valid for ever.
 *
 * A fork child may have no descriptor left and no /proc. It duplicates the kept mapping of the
 * region's header instead: mremap with an old size of 0 makes a second mapping of a shared file,
 * of any length, from the same offset on.
 */
#define _GNU_SOURCE 1 /* mremap */
#include "stats/counters.h"
#include "stats/hash_state.h"
#include "stats/modules.h"
#include "stats/records.h"
#include "stats/region_join.h"
#include "sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Alignas(OWN_PAGE_MAX) union {
	struct own_segment segment;
	char pages[OWN_SEGMENT_STRIDE];
} memory;

static struct own_region *region; /* its header alone; NULL: no launcher */
static uint32_t own_index = OWN_NO_SEGMENT;
static bool foreign;
static bool started;

struct own_segment *own_stats_segment(void)
{
	return &memory.segment;
}

static void describe(struct own_segment *segment, uint32_t image)
{
	own_store_relaxed(&segment->pid, (int32_t)getpid());
	own_store_relaxed(&segment->ppid, (int32_t)getppid());
	own_store_relaxed(&segment->image, image);
	own_store_relaxed(&segment->start_ns, own_monotonic_ns());
	own_store_relaxed(&segment->end_ns, 0);
	own_store_relaxed(&segment->foreign, foreign);
	own_hash_state_look(segment, false);
	/* Release: a reader that sees RUNNING sees the fields above. */
	own_store_release(&segment->state, OWN_SEGMENT_RUNNING);
}

/* From here on `fresh` is what own_stats_segment() points to; its old address is gone. */
static bool move_into_place(struct own_segment *fresh)
{
	madvise(fresh, OWN_SEGMENT_STRIDE, MADV_DONTDUMP);
	return mremap(fresh, OWN_SEGMENT_STRIDE, OWN_SEGMENT_STRIDE, MREMAP_MAYMOVE | MREMAP_FIXED,
		      &memory) != MAP_FAILED;
}

/* What was counted before the constructor ran; only used parts, so that the rest stays sparse. */
static void copy_counts(struct own_segment *to, const struct own_segment *from)
{
	uint32_t threads = own_load_relaxed(&from->threads_used);

	memcpy(to, from, offsetof(struct own_segment, records));
	if (own_load_relaxed(&from->records_used) > 0)
		memcpy(to->records, from->records, sizeof(to->records));
	if (threads > 0)
		memcpy(to->threads, from->threads, threads * sizeof(to->threads[0]));
	if (own_load_relaxed(&from->names_used) > 0)
		memcpy(to->names, from->names, sizeof(to->names));
}

static void join_region(int fd)
{
	struct own_segment *fresh;
	uint32_t index;
	uint32_t image;

	region = own_region_map_header(fd);
	if (region == NULL)
		return;
	foreign = own_region_is_foreign(region);
	index = own_region_take(region);
	if (index == OWN_NO_SEGMENT)
		return;
	fresh = mmap(NULL, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     (off_t)OWN_SEGMENT_OFFSET(index));
	if (fresh == MAP_FAILED) {
		own_region_refuse(region, index);
		return;
	}
	copy_counts(fresh, &memory.segment);
	image = index == 0 && getppid() == region->launcher_pid ? OWN_IMAGE_FIRST : OWN_IMAGE_EXEC;
	describe(fresh, image);
	if (move_into_place(fresh))
		own_index = index;
	else
		munmap(fresh, OWN_SEGMENT_STRIDE);
}

static void read_command(struct own_segment *segment)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return;
	length = read(fd, segment->command, sizeof(segment->command) - 1);
	close(fd);
	if (length <= 0)
		return;
	segment->command[length - 1] = '\0';
	for (ssize_t i = 0; i < length - 1; i++) {
		if (segment->command[i] == '\0')
			segment->command[i] = ' ';
	}
}

void own_stats_start(void)
{
	int saved = errno;
	bool opened;
	int fd;

	if (started)
		return;
	started = true;
	fd = own_region_open(&opened);
	if (fd >= 0)
		join_region(fd);
	if (opened && fd >= 0)
		close(fd);
	if (own_load_relaxed(&memory.segment.state) == OWN_SEGMENT_FREE)
		describe(&memory.segment, OWN_IMAGE_FIRST);
	read_command(&memory.segment);
	own_stats_scan_modules();
	errno = saved;
}

/* The region's segment `index`, mapped by way of the header's mapping. */
static struct own_segment *duplicate_from_header(uint32_t index)
{
	size_t offset = (size_t)OWN_SEGMENT_OFFSET(index);
	char *copy = mremap(region, 0, offset + OWN_SEGMENT_STRIDE, MREMAP_MAYMOVE);

	if (copy == MAP_FAILED)
		return NULL;
	munmap(copy, offset);
	return (struct own_segment *)(void *)(copy + offset);
}

static struct own_segment *map_private(void)
{
	void *fresh = mmap(NULL, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return fresh != MAP_FAILED ? fresh : NULL;
}

static void fill_child(struct own_segment *fresh)
{
	const struct own_segment *parent = &memory.segment;

	memcpy(fresh->command, parent->command, sizeof(fresh->command));
	own_modules_copy(fresh, parent);
	own_records_copy_names(fresh, parent);
	describe(fresh, OWN_IMAGE_FORK);
}

/* The segment of a fork child, mapped somewhere; NULL: no memory. `index`: in the region, if it is.
 */
static struct own_segment *map_for_child(uint32_t *index)
{
	struct own_segment *fresh = NULL;

	*index = region != NULL ? own_region_take(region) : OWN_NO_SEGMENT;
	if (*index != OWN_NO_SEGMENT) {
		fresh = duplicate_from_header(*index);
		if (fresh != NULL)
			return fresh;
		own_region_refuse(region, *index);
		*index = OWN_NO_SEGMENT;
	}
	return map_private();
}

void own_stats_after_fork(void)
{
	int saved = errno;
	struct own_segment *fresh;

	own_counters_free_slots();
	/* The first process of a new PID namespace; its descendants inherit the flag. */
	if (getppid() == 0)
		foreign = true;
	fresh = map_for_child(&own_index);
	if (fresh != NULL) {
		fill_child(fresh);
		if (!move_into_place(fresh)) {
			munmap(fresh, OWN_SEGMENT_STRIDE);
			fresh = NULL;
			own_index = OWN_NO_SEGMENT;
		}
	}
	/* At the limit of address space, pages in the place of the old ones cost none. What was
	   known of names and modules is lost then; the parent's counts must not be touched. */
	if (fresh == NULL && mmap(&memory, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		describe(&memory.segment, OWN_IMAGE_FORK);
	errno = saved;
}

/*
 * Gives a segment back in which nothing was counted. Threads that still run go on counting, in
 * private memory from here on.
 */
static void return_segment(void)
{
	struct own_segment *shared = duplicate_from_header(own_index);
	struct own_segment *fresh = map_private();

	if (shared == NULL || fresh == NULL)
		goto unmap;
	copy_counts(fresh, shared);
	own_modules_copy(fresh, shared);
	if (!move_into_place(fresh))
		goto unmap;
	fresh = NULL;
	/* A thread may have counted between the look and the move: then it stays a report's. */
	if (own_segment_is_quiet(shared)) {
		own_segment_clear(shared);
		own_region_return(region, own_index);
		own_index = OWN_NO_SEGMENT;
	}
unmap:
	if (shared != NULL)
		munmap(shared, OWN_SEGMENT_STRIDE);
	if (fresh != NULL)
		munmap(fresh, OWN_SEGMENT_STRIDE);
}

void own_stats_stop(void)
{
	struct own_segment *segment = &memory.segment;
	int saved = errno;

	if (own_load_relaxed(&segment->modules_stale) != 0)
		own_stats_scan_modules();
	own_hash_state_look(segment, false);
	own_store_relaxed(&segment->end_ns, own_monotonic_ns());
	/* Release: a reader that sees EXITED sees the final counts of this thread. */
	own_store_release(&segment->state, OWN_SEGMENT_EXITED);
	/* The first one names the program to the report. */
	if (own_index != OWN_NO_SEGMENT && own_index > 0 && own_segment_is_quiet(segment))
		return_segment();
	errno = saved;
}
