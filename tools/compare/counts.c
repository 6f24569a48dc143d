/* The kernel's counters around one run: a session of `ownline trace` of its own for each. */
#include "tools/compare/compare.h"

#ifdef OWN_HAVE_TRACE
#include "tools/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 65536 /* followed at a time */

struct own_tracer {
	struct own_trace_session *session;
};

static const char *lock_name(const struct own_trace_session *session)
{
	switch (own_trace_lock_source(session)) {
	case OWN_TRACE_LOCK_FENTRY:
		return "every";
	case OWN_TRACE_LOCK_CONTENTION:
		return "contended";
	default:
		return "none";
	}
}

struct own_tracer *own_tracer_open(char *reason, size_t size, const char **lock_measured)
{
	static const struct own_trace_options options = {
	    .target = OWN_TRACE_COMMAND,
	    .rows = THREADS,
	};
	struct own_trace_failure failure = {"out of memory; end other programs"};
	struct own_tracer *tracer = calloc(1, sizeof(*tracer));

	if (tracer != NULL)
		tracer->session = own_trace_open(&options, &failure);
	if (tracer == NULL || tracer->session == NULL) {
		snprintf(reason, size, "%s", failure.text);
		free(tracer);
		return NULL;
	}
	*lock_measured = lock_name(tracer->session);
	return tracer;
}

void own_tracer_follow(const struct own_tracer *tracer)
{
	own_trace_cookie_call(tracer->session, true);
}

int own_tracer_read(struct own_tracer *tracer, struct own_compare_counts *counts)
{
	struct own_trace_result result;
	const struct own_trace_totals *totals = &result.totals;
	int error;

	memset(&result, 0, sizeof(result));
	own_trace_stop(tracer->session);
	error = own_trace_collect(tracer->session, &result);
	for (int class = 0; class < OWN_TRACE_CLASSES; class ++) {
		if (class < OWN_TRACE_WAIT_CLASSES)
			counts->waits += totals->classes[class].count;
		else
			counts->wakes += totals->classes[class].count;
		counts->lock_ns += totals->lock[class].time_ns;
	}
	counts->mismatched = totals->classes[OWN_TRACE_MISMATCH].count;
	counts->mismatched_ns = totals->classes[OWN_TRACE_MISMATCH].time_ns;
	counts->lost = totals->threads_lost + totals->calls_lost + result.missed_events;
	own_trace_result_free(&result);
	return error;
}

void own_tracer_close(struct own_tracer *tracer)
{
	if (tracer == NULL)
		return;
	own_trace_close(tracer->session);
	free(tracer);
}
#else
#include <errno.h>

struct own_tracer *own_tracer_open(char *reason, size_t size, const char **lock_measured)
{
	*lock_measured = "none";
	snprintf(reason, size,
		 "built without ownline trace; install clang, bpftool and libbpf-dev and build "
		 "again");
	return NULL;
}

void own_tracer_follow(const struct own_tracer *tracer)
{
	(void)tracer;
}

int own_tracer_read(struct own_tracer *tracer, struct own_compare_counts *counts)
{
	(void)tracer;
	(void)counts;
	return ENOSYS;
}

void own_tracer_close(struct own_tracer *tracer)
{
	(void)tracer;
}
#endif
