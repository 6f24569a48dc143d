/*
 * The parts of `ownline trace`: a session holds the BPF programs, a target what they follow, a
 * result what they counted.
 */
#ifndef OWN_TRACE_TRACE_H
#define OWN_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "shared.h"

#define OWN_TRACE_SCHEMA 1 /* grows when a JSON field changes its meaning or goes */

enum own_trace_target {
	OWN_TRACE_NO_TARGET,
	OWN_TRACE_COMMAND,
	OWN_TRACE_PID,
	OWN_TRACE_ALL,
};

struct own_trace_options {
	enum own_trace_target target;
	pid_t pid;
	char **command;
	bool json;
	bool check;	    /* say what works here, trace nothing */
	bool verbose;	    /* show libbpf's messages */
	unsigned by;	    /* OWN_TRACE_BY_* */
	unsigned top;	    /* rows per table of the text report */
	unsigned rows;	    /* room for this many words and sites */
	double interval_s;  /* 0: no reports while it runs */
	double duration_s;  /* 0: until the target ends or a signal comes */
	const char *output; /* NULL: stderr for a command, else stdout */
};

/* Runs the subcommand. Returns the exit status; may end by the signal that ended the command. */
int own_trace_main(const struct own_trace_options *options);

/* What is measured about getting the bucket lock. */
enum own_trace_lock_source {
	OWN_TRACE_LOCK_NONE,
	OWN_TRACE_LOCK_FENTRY,	   /* every acquisition by a wait */
	OWN_TRACE_LOCK_CONTENTION, /* what was contended, by waits and wakes */
};

struct own_trace_session;
struct own_trace_symbols;

/* Why a session could not be opened, and the remedy. */
struct own_trace_failure {
	char text[320];
};

/* Loads the programs and starts to count. NULL: it did not work, and `failure` says why. */
struct own_trace_session *own_trace_open(const struct own_trace_options *options,
					 struct own_trace_failure *failure);
/* Ends counting; what is in progress stays "in progress". */
void own_trace_stop(struct own_trace_session *session);
void own_trace_close(struct own_trace_session *session);

/* The call that tells the programs "follow the caller" (true) or only "who am I?". */
void own_trace_cookie_call(const struct own_trace_session *session, bool follow);
/* Whether PIDs seen here are the kernel's own; false in a container's PID namespace. */
bool own_trace_sees_real_pids(const struct own_trace_session *session);
/* Follows every thread of a process that runs. 0 or a positive errno. */
int own_trace_follow_process(struct own_trace_session *session, pid_t pid);
enum own_trace_lock_source own_trace_lock_source(const struct own_trace_session *session);
/* Why it is not more: a phrase, or "". */
const char *own_trace_lock_reason(const struct own_trace_session *session);

struct own_trace_word {
	struct own_trace_word_key key;
	struct own_trace_row row;
	__u64 in_progress;
};

struct own_trace_name {
	struct own_trace_name_key key;
	struct own_trace_row row;
	__u64 in_progress;
};

struct own_trace_site {
	struct own_trace_site_key key;
	struct own_trace_row row;
};

struct own_trace_result {
	double seconds;
	long cpus; /* on line at its end */
	bool final;
	__u64 missed_events; /* the kernel skipped our program: calls are missing */
	__u64 waits_in_progress;
	struct own_trace_totals totals;
	struct own_trace_word *words;
	size_t word_count;
	struct own_trace_name *names;
	size_t name_count;
	struct own_trace_site *sites;
	size_t site_count;
};

/* Reads the maps; rows are sorted, most waits first. 0 or a positive errno. */
int own_trace_collect(const struct own_trace_session *session, struct own_trace_result *result);
/* For qsort: most waits first. */
int own_trace_compare_sites(const void *a, const void *b);
/* Cuts what is no code off the stacks, and merges rows that are then the same. */
void own_trace_merge_sites(struct own_trace_result *result, struct own_trace_symbols *symbols);
void own_trace_result_free(struct own_trace_result *result);

__u64 own_trace_waits(const __u64 *count);
__u64 own_trace_wakes(const __u64 *count);

/* Descriptors of the maps, for collect.c. */
struct own_trace_maps {
	int totals;
	int threads;
	int words;
	int names;
	int sites;
	int unwinds, unwinds_wanted; /* -1: not on this architecture */
	unsigned by;
};
struct own_trace_maps own_trace_maps(const struct own_trace_session *session);
__u64 own_trace_missed_events(const struct own_trace_session *session);

/* Names of code addresses, from the mappings that the followed processes made. */
struct own_trace_symbols *own_trace_symbols_open(const struct own_trace_options *options);
/* The launched command's process: mappings are followed from its next exec on. */
void own_trace_symbols_follow(struct own_trace_symbols *symbols, pid_t pid);
/* Takes over what has been recorded since the last call. */
void own_trace_symbols_poll(struct own_trace_symbols *symbols);
/* Mappings that are unknown because a buffer was full. */
__u64 own_trace_symbols_lost(const struct own_trace_symbols *symbols);
/* What an address is called; `module` is "" where it lies in no known mapping. */
struct own_trace_place {
	char name[512];
	char module[128];
};
void own_trace_symbols_find(struct own_trace_symbols *symbols, unsigned tgid, __u64 address,
			    struct own_trace_place *place);
/* The mapped file, and the address in its own numbering. False: no mapping is known there. */
bool own_trace_symbols_locate(struct own_trace_symbols *symbols, unsigned tgid, __u64 address,
			      const char **path, __u64 *file_address);
void own_trace_symbols_close(struct own_trace_symbols *symbols);

struct own_trace_report {
	const struct own_trace_options *options;
	const struct own_trace_session *session;
	const struct own_trace_result *result;
	struct own_trace_symbols *symbols; /* NULL: no sites */
};

extern const char *const own_trace_class_names[OWN_TRACE_CLASSES];
extern const char *const own_trace_operation_names[OWN_TRACE_OPERATIONS];
/* Name of a return value of a wait ("EAGAIN"); index as in own_trace_totals.returns. */
const char *own_trace_return_name(unsigned index);
int own_trace_return_value(unsigned index);
/* Lower bound of a histogram bucket in ns. */
__u64 own_trace_bucket_from(unsigned bucket);

void own_trace_write_text(FILE *stream, const struct own_trace_report *report);
void own_trace_write_json(FILE *stream, const struct own_trace_report *report);

#endif
