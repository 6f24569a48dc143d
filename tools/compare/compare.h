/* The parts of `ownline compare`. */
#ifndef OWN_COMPARE_COMPARE_H
#define OWN_COMPARE_COMPARE_H

#include "base/compiler.h"
#include "tools/statistics.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define OWN_COMPARE_SCHEMA	 "ownline-compare"
#define OWN_COMPARE_VERSION	 1 /* grows when a JSON field changes its meaning or goes */
#define OWN_COMPARE_MAX_VARIANTS 32
#define OWN_COMPARE_MAX_RUNS	 1000

struct own_compare_options {
	unsigned runs;	    /* timed ones of each variant */
	unsigned traced;    /* further ones of each variant, counted by the kernel */
	char *variants;	    /* the list as given; taken apart in place */
	const char *metric; /* regular expression, NULL: none */
	const char *output; /* NULL: standard output */
	bool json;
	char **command;
};

/* Returns the exit status. */
int own_compare_main(const struct own_compare_options *options);

/* What the kernel counted in one run. */
struct own_compare_counts {
	uint64_t waits; /* that have ended */
	uint64_t mismatched;
	uint64_t mismatched_ns;
	uint64_t wakes;
	uint64_t lock_ns;
	uint64_t lost; /* threads or events that are missing in all of these */
	/* What the library counted meanwhile: a part of `waits`, those of its own locks. */
	bool own_counted;
	uint64_t own_waits;
	uint64_t own_mismatched;
	uint64_t own_lost; /* processes that are missing in these two */
};

struct own_compare_run {
	unsigned round; /* from 1 on */
	bool traced;
	double wall_s;
	double user_s;
	double system_s;
	long voluntary;
	long involuntary;
	unsigned left; /* processes that the command left running, ended by us */
	double metric;
	struct own_compare_counts counts;
};

enum own_compare_figure {
#define OWN_TIMED(name, ...)	  OWN_FIGURE_##name,
#define OWN_COUNTED(name, ...)	  OWN_FIGURE_##name,
#define OWN_OF_OWNLINE(name, ...) OWN_FIGURE_##name,
#include "tools/compare/figures.def"
#undef OWN_TIMED
#undef OWN_COUNTED
#undef OWN_OF_OWNLINE
	OWN_FIGURES
};

enum own_variant_kind {
	OWN_VARIANT_AS_IS,
	OWN_VARIANT_OWNLINE,
	OWN_VARIANT_HASH, /* unmodified but for the size of its futex hash */
};

struct own_variant {
	const char *name; /* as given */
	enum own_variant_kind kind;
	long slots;    /* of the private futex hash: 0 the global one, -1 the kernel's choice */
	char *options; /* value of OWN_OPTIONS_ENVIRONMENT, NULL: none */
	char library[PATH_MAX]; /* to preload; "": none */
	char reason[200];	/* why it is not available; "": it is */
	bool verified;		/* the program has been seen to take it */
	struct own_compare_run *runs;
	size_t run_count;
};

struct own_metric;
struct own_region_map;
struct own_tracer;

struct own_compare {
	const struct own_compare_options *options;
	struct own_variant variants[OWN_COMPARE_MAX_VARIANTS];
	size_t variant_count;
	struct own_metric *metric; /* NULL: none */
	char untraced[320];	   /* why there are no counts; "": there are */
	const char *lock_measured; /* "every", "contended" or "none" */
	char failure[512];	   /* why it is incomplete; "": it is not */
	char date[32];		   /* of the start, UTC, ISO 8601 */
};

/*
 * Takes the list apart and looks what is possible here. Complains and returns an exit status if the
 * list is wrong.
 */
int own_variants_parse(struct own_compare *compare);
void own_variants_free(struct own_compare *compare);

/*
 * How the first run of a variant tells whether the program has taken the library, and a traced run
 * under ownline what the library has counted.
 */
struct own_probe {
	struct own_region_map *region; /* OWN_VARIANT_OWNLINE */
	char region_text[96];	       /* names it to the program */
	char status[64];	       /* OWN_VARIANT_HASH: path of a file */
	int status_fd;
};
/* 0 or a positive errno; closed in any case by own_probe_end. */
int own_probe_begin(struct own_probe *probe, const struct own_variant *variant);
/* Sets the variant's `verified`, or its `reason`. */
void own_probe_judge(const struct own_probe *probe, struct own_variant *variant);
/* The library's own counts of the run; the variant is OWN_VARIANT_OWNLINE. */
void own_probe_count(const struct own_probe *probe, struct own_compare_counts *counts);
void own_probe_end(struct own_probe *probe);
/* In the child: sets the environment. `probe` may be NULL. False: errno is set. */
bool own_variant_enter(const struct own_variant *variant, const struct own_probe *probe);

/*
 * A number out of the command's output. Opening complains about a bad expression (NULL); reading
 * returns false with the reason in `message`.
 */
struct own_metric *own_metric_open(const char *expression);
bool own_metric_read(const struct own_metric *metric, int fd, double *value, char *message,
		     size_t size);
void own_metric_close(struct own_metric *metric);

/* The kernel's counters around one run. Opening says in `reason` why it is not possible. */
struct own_tracer *own_tracer_open(char *reason, size_t size, const char **lock_measured);
/* In the child, right before it executes the command. */
void own_tracer_follow(const struct own_tracer *tracer);
/* 0 or a positive errno. */
int own_tracer_read(struct own_tracer *tracer, struct own_compare_counts *counts);
void own_tracer_close(struct own_tracer *tracer);

/* One run of the command, with all that it starts. */
struct own_child_request {
	char **command;
	const struct own_variant *variant;
	struct own_tracer *tracer;     /* NULL: not traced */
	int output;		       /* its standard output and standard error, appended to */
	const struct own_probe *probe; /* NULL: none */
};

struct own_child_end {
	int status;	 /* of waitpid */
	int exec_error;	 /* errno: the command could not be executed */
	int interrupted; /* the signal by which we were told to end, 0: none */
};

/* Takes the signals for this process's whole life. Once, before the first run. */
void own_children_prepare(void);
/* Whether a signal has told us to end: its number. */
int own_children_interrupted(void);
/*
 * Runs the command until it has ended; ends what it left. 0 or the errno of what could not be
 * started.
 */
int own_child_run(const struct own_child_request *request, struct own_compare_run *run,
		  struct own_child_end *end);

/* All rounds. Returns the exit status; compare->failure says why it is incomplete. */
int own_compare_rounds(struct own_compare *compare);

double own_compare_value(const struct own_compare_run *run, enum own_compare_figure figure);
bool own_figure_is_counted(enum own_compare_figure figure);
/* Whether the run has it: timed and traced runs have different ones. */
bool own_run_has_figure(const struct own_compare_run *run, enum own_compare_figure figure);
const char *own_figure_name(enum own_compare_figure figure);
struct own_spread own_variant_spread(const struct own_variant *variant,
				     enum own_compare_figure figure);
/* ownline's own waits in all traced runs together. False: they were not counted. */
bool own_variant_own_waits(const struct own_variant *variant, struct own_compare_counts *sum);
/* Per cent; 0 of nothing. */
double own_percent(uint64_t part, uint64_t whole);
/* What the others are compared with: the first that is available, asis if it is. NULL: none. */
const struct own_variant *own_compare_baseline(const struct own_compare *compare);
/* One sentence about a variant beside the baseline. */
void own_compare_verdict(const struct own_compare *compare, const struct own_variant *variant,
			 char *text, size_t size);

void own_compare_write_text(FILE *stream, const struct own_compare *compare);
/* False: out of memory. */
bool own_compare_write_json(FILE *stream, const struct own_compare *compare);

#endif
