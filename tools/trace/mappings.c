#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tools/commands.h"
#include "mappings.h"

#define RING_PAGES   32
#define MOST_RECORDS 1000000

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* NULL: not open */
};

struct birth {
	pid_t child;
	pid_t parent;
};

struct own_trace_mappings {
	struct ring *rings;
	int cpus;
	size_t page_size;
	struct own_trace_mapping *all;
	size_t count, room, sorted;
	struct birth *births;
	size_t birth_count, birth_room;
	void *paths; /* tree of strings, each path once */
	__u64 lost;
	char record[65536]; /* one that wraps around the ring's end */
};

/* What the kernel writes; sample_id_all adds the time at the end of each. */
struct mmap_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, length, page_offset;
	__u32 major, minor;
	__u64 inode, generation;
	__u32 protection, flags;
	char path[];
};

struct fork_record {
	struct perf_event_header header;
	__u32 pid, parent;
	__u32 tid, parent_tid;
	__u64 time_ns;
};

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *intern(struct own_trace_mappings *mappings, const char *path)
{
	void *found = tfind(path, &mappings->paths, compare_paths);
	char *copy;

	if (found)
		return *(char *const *)found;
	copy = strdup(path);
	if (copy && !tsearch(copy, &mappings->paths, compare_paths)) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* Makes room for one more; false: there is none. */
static bool grow(void **array, size_t size, size_t count, size_t *room)
{
	size_t wanted = *room ? 2 * *room : 256;
	void *bigger;

	if (count < *room)
		return true;
	if (count >= MOST_RECORDS)
		return false;
	bigger = realloc(*array, wanted * size);
	if (!bigger)
		return false;
	*array = bigger;
	*room = wanted;
	return true;
}

static void add_mapping(struct own_trace_mappings *mappings, struct own_trace_mapping mapping)
{
	void *array = mappings->all;

	mapping.path = intern(mappings, mapping.path);
	if (!mapping.path ||
	    !grow(&array, sizeof(*mappings->all), mappings->count, &mappings->room)) {
		mappings->lost++;
		return;
	}
	mappings->all = array;
	mappings->all[mappings->count++] = mapping;
}

static void add_birth(struct own_trace_mappings *mappings, pid_t child, pid_t parent)
{
	void *array = mappings->births;

	if (child == parent)
		return;
	if (!grow(&array, sizeof(*mappings->births), mappings->birth_count,
		  &mappings->birth_room)) {
		mappings->lost++;
		return;
	}
	mappings->births = array;
	mappings->births[mappings->birth_count++] = (struct birth){child, parent};
}

static __u64 now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * 1000000000u + (__u64)time.tv_nsec;
}

static void read_maps(struct own_trace_mappings *mappings, pid_t pid)
{
	char name[64], *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	file = fopen(name, "re");
	if (!file)
		return;
	while (getline(&line, &room, file) > 0) {
		unsigned long long start, end, offset;
		int path = 0;
		char x;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx %*c%*c%c%*c %llx %*s %*s %n", &start, &end, &x, &offset,
			   &path) != 4 ||
		    x != 'x' || !path)
			continue;
		add_mapping(mappings, (struct own_trace_mapping){
					  .pid = pid,
					  .time_ns = now_ns(),
					  .start = start,
					  .length = end - start,
					  .file_offset = offset,
					  .path = line[path] ? line + path : "[anon]",
				      });
	}
	free(line);
	fclose(file);
}

static void read_all_maps(struct own_trace_mappings *mappings)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			read_maps(mappings, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(directory);
}

/* pid -1: every process on that CPU; else one process and its children to come. */
static int open_ring(struct own_trace_mappings *mappings, int cpu, pid_t pid)
{
	struct perf_event_attr attributes = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attributes),
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_type = PERF_SAMPLE_TIME,
	    .sample_id_all = 1,
	    .inherit = pid != -1,
	    .mmap = 1,
	    .mmap2 = 1,
	    .task = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	};
	struct ring *ring = &mappings->rings[cpu];
	void *page;
	int error;

	ring->fd =
	    (int)syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno;
	page = mmap(NULL, (1 + RING_PAGES) * mappings->page_size, PROT_READ | PROT_WRITE,
		    MAP_SHARED, ring->fd, 0);
	if (page != MAP_FAILED) {
		ring->page = page;
		return 0;
	}
	error = errno;
	close(ring->fd);
	return error;
}

static void open_rings(struct own_trace_mappings *mappings, pid_t pid)
{
	int opened = 0, error = 0;

	for (int cpu = 0; cpu < mappings->cpus; cpu++) {
		int failed = open_ring(mappings, cpu, pid);

		if (!failed)
			opened++;
		else if (failed != ENODEV) /* a CPU that is off line */
			error = failed;
	}
	if (error || !opened)
		own_complain("trace: calling sites will lack names: perf_event_open: %s; allow "
			     "CAP_PERFMON",
			     strerror(error ? error : ENODEV));
}

struct own_trace_mappings *own_trace_mappings_open(const struct own_trace_options *options)
{
	struct own_trace_mappings *mappings = calloc(1, sizeof(*mappings));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (mappings) {
		mappings->cpus = cpus > 0 ? (int)cpus : 1;
		mappings->page_size = (size_t)sysconf(_SC_PAGESIZE);
		mappings->rings = calloc((size_t)mappings->cpus, sizeof(*mappings->rings));
	}
	if (!mappings || !mappings->rings) {
		own_complain("trace: out of memory");
		free(mappings);
		return NULL;
	}
	if (options->target != OWN_TRACE_COMMAND) {
		open_rings(mappings, -1);
		if (options->target == OWN_TRACE_PID)
			read_maps(mappings, options->pid);
		else
			read_all_maps(mappings);
	}
	return mappings;
}

void own_trace_mappings_follow(struct own_trace_mappings *mappings, pid_t pid)
{
	open_rings(mappings, pid);
}

static void take_record(struct own_trace_mappings *mappings, struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_MMAP2) {
		struct mmap_record *record = (struct mmap_record *)(void *)header;
		const char *end = (const char *)header + header->size;
		__u64 time_ns;

		memcpy(&time_ns, end - sizeof(time_ns), sizeof(time_ns));
		add_mapping(mappings, (struct own_trace_mapping){
					  .pid = (pid_t)record->pid,
					  .time_ns = time_ns,
					  .start = record->start,
					  .length = record->length,
					  .file_offset = record->page_offset,
					  .path = record->path,
				      });
	} else if (header->type == PERF_RECORD_FORK) {
		struct fork_record *record = (struct fork_record *)(void *)header;

		add_birth(mappings, (pid_t)record->pid, (pid_t)record->parent);
	} else if (header->type == PERF_RECORD_LOST) {
		mappings->lost += ((struct lost_record *)(void *)header)->lost;
	}
}

static void drain(struct own_trace_mappings *mappings, struct ring *ring)
{
	size_t size = RING_PAGES * mappings->page_size;
	const char *data = (const char *)ring->page + mappings->page_size;
	/* Acquire: pairs with the kernel's barrier between writing records and data_head. */
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;
		size_t at = tail % size, first;

		/* Records are multiples of eight bytes, so a header never wraps. */
		memcpy(&header, data + at, sizeof(header));
		if (header.size < sizeof(header))
			break;
		first = header.size < size - at ? header.size : size - at;
		memcpy(mappings->record, data + at, first);
		memcpy(mappings->record + first, data, header.size - first);
		take_record(mappings, (struct perf_event_header *)(void *)mappings->record);
		tail += header.size;
	}
	/* Release: our reads are done before the kernel may write there again. */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

void own_trace_mappings_poll(struct own_trace_mappings *mappings)
{
	for (int cpu = 0; cpu < mappings->cpus; cpu++)
		if (mappings->rings[cpu].page)
			drain(mappings, &mappings->rings[cpu]);
}

/* By process, the youngest first. */
static int compare_mappings(const void *a, const void *b)
{
	const struct own_trace_mapping *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return (left->time_ns < right->time_ns) - (left->time_ns > right->time_ns);
}

static const struct own_trace_mapping *find_in(const struct own_trace_mappings *mappings, pid_t pid,
					       __u64 address)
{
	size_t low = 0, high = mappings->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mappings->all[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < mappings->count && mappings->all[low].pid == pid; low++)
		if (address - mappings->all[low].start < mappings->all[low].length)
			return &mappings->all[low];
	return NULL;
}

/* The youngest birth under that PID; 0: none is known. */
static pid_t parent_of(const struct own_trace_mappings *mappings, pid_t pid)
{
	for (size_t i = mappings->birth_count; i > 0; i--)
		if (mappings->births[i - 1].child == pid)
			return mappings->births[i - 1].parent;
	return 0;
}

const struct own_trace_mapping *own_trace_mappings_find(struct own_trace_mappings *mappings,
							pid_t pid, __u64 address)
{
	const struct own_trace_mapping *found = NULL;

	if (mappings->sorted != mappings->count) {
		qsort(mappings->all, mappings->count, sizeof(*mappings->all), compare_mappings);
		mappings->sorted = mappings->count;
	}
	/* The bound: reused PIDs might make a ring of ancestors. */
	for (int depth = 0; !found && pid > 0 && depth < 64; depth++) {
		found = find_in(mappings, pid, address);
		pid = parent_of(mappings, pid);
	}
	return found;
}

__u64 own_trace_mappings_lost(const struct own_trace_mappings *mappings)
{
	return mappings->lost;
}

void own_trace_mappings_close(struct own_trace_mappings *mappings)
{
	for (int cpu = 0; cpu < mappings->cpus; cpu++) {
		if (!mappings->rings[cpu].page)
			continue;
		munmap(mappings->rings[cpu].page, (1 + RING_PAGES) * mappings->page_size);
		close(mappings->rings[cpu].fd);
	}
	tdestroy(mappings->paths, free);
	free(mappings->rings);
	free(mappings->all);
	free(mappings->births);
	free(mappings);
}
