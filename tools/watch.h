/*
 * What a launcher learns about the processes of a region while they run, and what its report needs
 * to know about them afterwards.
 */
#ifndef OWN_TOOLS_WATCH_H
#define OWN_TOOLS_WATCH_H

#include "stats/report.h"
#include "tools/process_modules.h"
#include "tools/region_map.h"

#include <sys/types.h>

struct own_watch {
	struct own_region_map *region;
	struct own_process_modules modules[OWN_REGION_SEGMENTS];
	pid_t child;	  /* the program itself */
	int child_status; /* of waitpid, once it has ended */
	bool child_ended;
	char fate[64];
};

/* Looks for processes that have loaded libraries since; `context` is a struct own_watch. */
void own_watch_tick(void *context);

/* For struct own_report_options, with the watch as context. */
own_symbolizer own_watch_symbolize;
own_symbolizer own_watch_name_lock;
own_fate own_watch_fate;

/* Writes the report over all processes of the region. Returns 0 or a positive errno. */
int own_watch_report(struct own_watch *watch, int fd, enum own_report_format format, unsigned top);

void own_watch_end(struct own_watch *watch);

#endif
