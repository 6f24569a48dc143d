/*
 * Reports: from a segment to text for people or JSON for programs. Used in the process (at exit and
 * on request) and by the ownline command, which adds symbol names.
 */
#ifndef OWN_STATS_REPORT_H
#define OWN_STATS_REPORT_H

#include "stats/region.h"

#include <stddef.h>

enum own_report_format {
	OWN_REPORT_NONE,
	OWN_REPORT_TEXT,
	OWN_REPORT_JSON,
};

#define OWN_REPORT_SCHEMA 1 /* grows when a JSON field changes its meaning or goes */

/*
 * Writes the name of a code address into `name` ("function+0x12", or "module+0x1234"), at most
 * `size` bytes with the final zero. The default names module and offset from the segment's table.
 */
typedef void own_symbolizer(void *context, const struct own_segment *segment, uint64_t address,
			    char *name, size_t size);

/*
 * How a process ended, in a few words ("killed by signal 9"); NULL: as its segment says. Only who
 * watches the process can know about an end without warning.
 */
typedef const char *own_fate(void *context, const struct own_segment *segment);

struct own_report_options {
	enum own_report_format format;
	unsigned top;		   /* how many locks the text lists; JSON holds all */
	own_symbolizer *symbolize; /* of calling sites; NULL: own_report_symbolize */
	own_symbolizer *name_lock; /* of static locks; gives "" where there is none. NULL: none */
	own_fate *fate;		   /* NULL: as the segment says */
	void *context;
	uint32_t refused; /* processes that found no free segment: they are not in the report */
	uint32_t
	    returned; /* processes that ended with nothing counted, and are not in the report */
};

/* The default symbolizer: module+offset from the segment's table, else the bare address. */
void own_report_symbolize(void *context, const struct own_segment *segment, uint64_t address,
			  char *name, size_t size);

/* Writes the report of one process to fd. Returns 0 or a positive errno. Allocates nothing. */
int own_report_write(int fd, const struct own_segment *segment,
		     const struct own_report_options *options);

/*
 * Writes one report over several processes (segments that took part), the first one first; JSON is
 * one document. Returns 0 or a positive errno.
 */
int own_report_write_all(int fd, const struct own_segment *const *segments, size_t count,
			 const struct own_report_options *options);

#endif
