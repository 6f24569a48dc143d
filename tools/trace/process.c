/* Following a process that already runs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "trace.h"

/* A thread that ended before it was put into the map leaves nobody to take it out. */
static void forget_dead(int map, pid_t pid, __u32 tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u", pid, tid);
	if (access(path, F_OK) != 0)
		bpf_map_delete_elem(map, &tid);
}

/* One pass over /proc/PID/task; returns how many threads were new, or -errno. */
static int follow_threads(int map, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	int added = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		struct own_trace_thread fresh = {.tgid = (__u32)pid};
		__u32 tid;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		tid = (__u32)strtoul(entry->d_name, NULL, 10);
		if (bpf_map_update_elem(map, &tid, &fresh, BPF_NOEXIST) == 0) {
			added++;
			forget_dead(map, pid, tid);
		} else if (errno != EEXIST) {
			added = -errno;
			break;
		}
	}
	closedir(directory);
	return added;
}

/*
 * Threads that are born meanwhile inherit from a parent that is followed already, or show up in the
 * next pass: a pass without news ends the search.
 */
int own_trace_follow_process(struct own_trace_session *session, pid_t pid)
{
	int map = own_trace_maps(session).threads;
	int added;

	do {
		added = follow_threads(map, pid);
	} while (added > 0);
	return -added;
}
