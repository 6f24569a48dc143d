#include "stats/report.h"

#include "stats/counters.h"
#include "stats/modules.h"
#include "stats/records.h"
#include "stats/report_parts.h"
#include "sys/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const own_outcome_names[OWN_WAIT_OUTCOMES] = {
    [OWN_WAIT_WOKEN] = "woken",
    [OWN_WAIT_MISMATCH] = "mismatch",
    [OWN_WAIT_TIMEOUT] = "timeout",
    [OWN_WAIT_INTERRUPTED] = "interrupted",
};

struct own_wait_totals own_report_waits(const struct own_counters *counters)
{
	struct own_wait_totals totals = {0, 0};

	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++) {
		totals.count += own_load_relaxed(&counters->waits[i].count);
		totals.time_ns += own_load_relaxed(&counters->waits[i].time_ns);
	}
	return totals;
}

const char *own_report_fate(const struct own_report *report, const struct own_segment *segment)
{
	const char *fate = NULL;

	if (report->options->fate != NULL)
		fate = report->options->fate(report->options->context, segment);
	if (fate != NULL)
		return fate;
	return own_load_acquire(&segment->state) == OWN_SEGMENT_EXITED ? "exited" : "running";
}

const char *own_report_kind(uint32_t kind)
{
	return kind == OWN_OBJECT_COND ? "condition" : "mutex";
}

const char *own_report_image(const struct own_segment *segment)
{
	switch (own_load_relaxed(&segment->image)) {
	case OWN_IMAGE_FORK:
		return "fork";
	case OWN_IMAGE_EXEC:
		return "exec";
	default:
		return "first";
	}
}

const char *own_report_hash(const struct own_segment *segment)
{
	switch (own_load_relaxed(&segment->futex_slots)) {
	case OWN_HASH_NONE:
		return "none";
	case OWN_HASH_GLOBAL:
		return "global";
	case OWN_HASH_UNKNOWN:
		return "unknown";
	case OWN_HASH_MISSING:
		return "missing";
	default:
		return "private";
	}
}

void own_report_command(const struct own_segment *segment, char *command)
{
	size_t length = strnlen(segment->command, sizeof(segment->command) - 1);

	memcpy(command, segment->command, length);
	command[length] = '\0';
}

uint64_t own_report_duration(const struct own_segment *segment)
{
	uint64_t start = own_load_relaxed(&segment->start_ns);
	uint64_t end = own_load_relaxed(&segment->end_ns);

	if (end == 0)
		end = own_monotonic_ns();
	return end > start ? end - start : 0;
}

void own_report_symbolize(void *context, const struct own_segment *segment, uint64_t address,
			  char *name, size_t size)
{
	const struct own_module *module = own_module_find(segment, address);
	const char *slash;
	const char *base;

	(void)context;
	if (module == NULL) {
		snprintf(name, size, "0x%" PRIx64, address);
		return;
	}
	slash = strrchr(module->path, '/');
	base = slash != NULL ? slash + 1 : module->path;
	snprintf(name, size, "%s+0x%" PRIx64, base[0] != '\0' ? base : "?", address - module->bias);
}

void own_report_site(const struct own_report *report, const struct own_segment *segment,
		     uint64_t site, char *name)
{
	own_symbolizer *symbolize = report->options->symbolize;

	if (site <= OWN_SITE_NAME) {
		snprintf(name, OWN_SYMBOL_SIZE, "%s", "unknown");
		return;
	}
	if (symbolize == NULL)
		symbolize = own_report_symbolize;
	symbolize(report->options->context, segment, site, name, OWN_SYMBOL_SIZE);
	name[OWN_SYMBOL_SIZE - 1] = '\0';
}

bool own_report_lock_name(const struct own_report *report, const struct own_lock *lock, char *name)
{
	const char *given = own_record_name(lock->segment, lock->object);

	name[0] = '\0';
	if (given != NULL) {
		size_t length = strnlen(given, OWN_SYMBOL_SIZE - 1);

		memcpy(name, given, length);
		name[length] = '\0';
	} else if (report->options->name_lock != NULL) {
		report->options->name_lock(report->options->context, lock->segment, lock->object,
					   name, OWN_SYMBOL_SIZE);
		name[OWN_SYMBOL_SIZE - 1] = '\0';
	}
	return name[0] != '\0';
}

/* Sums over all segments; `longest_wait_ns` is a maximum. */
static void sum_segments(struct own_report *report)
{
	_Atomic uint64_t *to = &report->total.waits[0].count;
	struct own_counters one;

	memset(&report->total, 0, sizeof(report->total));
	for (size_t i = 0; i < report->count; i++) {
		const _Atomic uint64_t *from = &one.waits[0].count;
		uint64_t longest;

		own_counters_sum(report->segments[i], &one);
		longest = own_load_relaxed(&one.longest_wait_ns);
		if (longest < own_load_relaxed(&report->total.longest_wait_ns))
			longest = own_load_relaxed(&report->total.longest_wait_ns);
		for (size_t word = 0; word < sizeof(one) / sizeof(*from); word++)
			own_add_single_writer(&to[word], own_load_relaxed(&from[word]));
		own_store_relaxed(&report->total.longest_wait_ns, longest);
	}
}

int own_report_write_all(int fd, const struct own_segment *const *segments, size_t count,
			 const struct own_report_options *options)
{
	int saved = errno;
	struct own_report report;
	int error;

	if (options->format == OWN_REPORT_NONE)
		return 0;
	own_writer_init(&report.writer, fd);
	report.options = options;
	report.segments = segments;
	report.count = count;
	sum_segments(&report);
	own_locks_gather(&report.locks, segments, count, options->top > 0 ? options->top : 1);
	if (options->format == OWN_REPORT_TEXT)
		own_report_text(&report);
	else
		own_report_json(&report);
	own_locks_release(&report.locks);
	error = own_writer_flush(&report.writer);
	errno = saved;
	return error;
}

int own_report_write(int fd, const struct own_segment *segment,
		     const struct own_report_options *options)
{
	return own_report_write_all(fd, &segment, 1, options);
}
