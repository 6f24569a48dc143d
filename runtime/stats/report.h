/*
 * Reports: from a segment to text for people or JSON for programs. Used in the process (at exit and
 * on request) and by the ownline command, which adds symbol names.
 */
#ifndef OWN_STATS_REPORT_H
#define OWN_STATS_REPORT_H

#include "stats/region.h"

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

struct own_report_options {
	enum own_report_format format;
	unsigned top; /* how many locks to list */
	own_symbolizer *symbolize; /* NULL: module+offset */
	void *context;
};

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
