/*
 * Which file was mapped where, in every process that is followed, also in one that has ended: the
 * kernel's own records (perf's mmap and fork events), and /proc/PID/maps for what was there before.
 */
#ifndef OWN_TRACE_MAPPINGS_H
#define OWN_TRACE_MAPPINGS_H

#include "trace.h"

struct own_trace_mapping {
	pid_t pid;
	__u64 time_ns;
	__u64 start;
	__u64 length;
	__u64 file_offset;
	const char *path;
};

struct own_trace_mappings;

/* Prints its own error; NULL: it did not work. */
struct own_trace_mappings *own_trace_mappings_open(const struct own_trace_options *options);
/* Records this process and its children to come. */
void own_trace_mappings_follow(struct own_trace_mappings *mappings, pid_t pid);
void own_trace_mappings_poll(struct own_trace_mappings *mappings);
/* The youngest mapping that holds the address in the process, or else in its ancestors. */
const struct own_trace_mapping *own_trace_mappings_find(struct own_trace_mappings *mappings,
							pid_t pid, __u64 address);
/* Records that the kernel had to drop, and records for which there was no memory. */
__u64 own_trace_mappings_lost(const struct own_trace_mappings *mappings);
void own_trace_mappings_close(struct own_trace_mappings *mappings);

#endif
