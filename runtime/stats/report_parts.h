/* What the two forms of a report share. */
#ifndef OWN_STATS_REPORT_PARTS_H
#define OWN_STATS_REPORT_PARTS_H

#include "stats/locks.h"
#include "stats/report.h"
#include "stats/writer.h"

#define OWN_SYMBOL_SIZE	 256
#define OWN_COMMAND_SIZE sizeof(((struct own_segment *)0)->command)

struct own_report {
	struct own_writer writer;
	const struct own_report_options *options;
	const struct own_segment *const *segments;
	size_t count;
	struct own_counters total; /* of all segments */
	struct own_lock_list locks;
};

struct own_wait_totals {
	uint64_t count;
	uint64_t time_ns;
};

extern const char *const own_outcome_names[OWN_WAIT_OUTCOMES];

struct own_wait_totals own_report_waits(const struct own_counters *counters);
const char *own_report_fate(const struct own_report *report, const struct own_segment *segment);
const char *own_report_kind(uint32_t kind);
const char *own_report_image(const struct own_segment *segment);

/* Which futex hash the process had when it was last asked: a word for programs. */
const char *own_report_hash(const struct own_segment *segment);

/*
 * The process's command line into `command` of OWN_COMMAND_SIZE bytes: in the segment a broken
 * program may have left it without an end.
 */
void own_report_command(const struct own_segment *segment, char *command);

/* How long a process has run: until its end, or until now. */
uint64_t own_report_duration(const struct own_segment *segment);

/* The name of a calling site into `name` of OWN_SYMBOL_SIZE bytes. */
void own_report_site(const struct own_report *report, const struct own_segment *segment,
		     uint64_t site, char *name);

/*
 * The name of a lock into `name` of OWN_SYMBOL_SIZE bytes: the one that it was given, else its
 * symbol. False: it has none.
 */
bool own_report_lock_name(const struct own_report *report, const struct own_lock *lock, char *name);

void own_report_text(struct own_report *report);
void own_report_json(struct own_report *report);

#endif
