#include "workloads/futex_counts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITS, MISMATCHES, TIMEOUTS, WAKES, EVENTS };

/* FUTEX_PRIVATE_FLAG (128) and FUTEX_CLOCK_REALTIME (256) may be added to each operation. */
static const struct {
	const char *event;
	const char *filter;
} sources[EVENTS] = {
    [WAITS] = {"sys_enter_futex", "op == 0 || op == 128 || op == 256 || op == 384 || op == 9 ||"
				  "op == 137 || op == 265 || op == 393"},
    [MISMATCHES] = {"sys_exit_futex", "ret == -11"},
    [TIMEOUTS] = {"sys_exit_futex", "ret == -110"},
    [WAKES] = {"sys_enter_futex", "op == 1 || op == 129 || op == 10 || op == 138"},
};

static int descriptors[EVENTS];
static bool opened;
/* Inherited counts are not reset by PERF_EVENT_IOC_RESET: remember where the run began. */
static uint64_t base[EVENTS];

static int tracepoint_id(const char *event)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[128];
	int id = -1;

	for (unsigned i = 0; i < 2 && id < 0; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/events/syscalls/%s/id", roots[i], event);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%d", &id) != 1)
			id = -1;
		fclose(file);
	}
	return id;
}

static int open_event(unsigned index)
{
	struct perf_event_attr attribute;
	int descriptor;
	int id = tracepoint_id(sources[index].event);

	if (id < 0) {
		fprintf(stderr, "own-workload: futex counts: no tracefs; as root: "
				"mount -t tracefs tracefs /sys/kernel/tracing\n");
		return -1;
	}
	memset(&attribute, 0, sizeof(attribute));
	attribute.type = PERF_TYPE_TRACEPOINT;
	attribute.size = sizeof(attribute);
	attribute.config = (unsigned)id;
	attribute.inherit = 1;
	descriptor = (int)syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0);
	if (descriptor < 0 ||
	    ioctl(descriptor, PERF_EVENT_IOC_SET_FILTER, sources[index].filter) != 0) {
		fprintf(stderr, "own-workload: futex counts: %s; run as root\n", strerror(errno));
		return -1;
	}
	return descriptor;
}

static bool read_all(uint64_t values[EVENTS])
{
	for (unsigned i = 0; i < EVENTS; i++) {
		if (read(descriptors[i], &values[i], sizeof(values[i])) !=
		    (ssize_t)sizeof(values[i]))
			return false;
	}
	return true;
}

void own_futex_counts_open(void)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		descriptors[i] = open_event(i);
		if (descriptors[i] < 0)
			return;
	}
	opened = true;
}

void own_futex_counts_reset(void)
{
	if (opened && !read_all(base))
		opened = false;
}

void own_futex_counts_read(struct own_futex_counts *counts)
{
	uint64_t now[EVENTS];

	memset(counts, 0, sizeof(*counts));
	if (!opened || !read_all(now))
		return;
	counts->valid = true;
	counts->waits = now[WAITS] - base[WAITS];
	counts->mismatches = now[MISMATCHES] - base[MISMATCHES];
	counts->timeouts = now[TIMEOUTS] - base[TIMEOUTS];
	counts->wakes = now[WAKES] - base[WAKES];
}
