/* The report for programs; docs/design/reporting.md describes the fields. */
#include "stats/counters.h"
#include "stats/hash_state.h"
#include "stats/report_parts.h"

#include <inttypes.h>

static void number(struct own_writer *writer, const char *name, uint64_t value, const char *after)
{
	own_writer_print(writer, "\"%s\": %" PRIu64 "%s", name, value, after);
}

static void counter(struct own_writer *writer, const char *name, const _Atomic uint64_t *value,
		    const char *after)
{
	number(writer, name, own_load_relaxed(value), after);
}

static void outcome(struct own_writer *writer, const struct own_outcome *outcome)
{
	uint64_t count = own_load_relaxed(&outcome->count);
	uint64_t time_ns = own_load_relaxed(&outcome->time_ns);

	own_writer_print(writer, "{");
	number(writer, "count", count, ", ");
	number(writer, "time_ns", time_ns, ", ");
	number(writer, "mean_ns", count > 0 ? time_ns / count : 0, ", ");
	own_writer_print(writer, "\"histogram\": [");
	for (unsigned i = 0; i < OWN_HISTOGRAM_BUCKETS; i++)
		own_writer_print(writer, "%s%" PRIu64, i > 0 ? ", " : "",
				 own_load_relaxed(&outcome->histogram[i]));
	own_writer_print(writer, "]}");
}

/* The fields of `counters`, without the braces around them. */
static void counters_fields(struct own_writer *writer, const struct own_counters *counters,
			    const char *indent)
{
	struct own_wait_totals waits = own_report_waits(counters);

	own_writer_print(writer, "%s\"waits\": {", indent);
	number(writer, "count", waits.count, ", ");
	number(writer, "time_ns", waits.time_ns, "");
	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++) {
		own_writer_print(writer, ",\n%s  \"%s\": ", indent, own_outcome_names[i]);
		outcome(writer, &counters->waits[i]);
	}
	own_writer_print(writer, "\n%s},\n%s\"wakes\": {", indent, indent);
	counter(writer, "issued", &counters->wakes, ", ");
	counter(writer, "empty", &counters->wakes_empty, ", ");
	counter(writer, "saved", &counters->wakes_saved, ", ");
	counter(writer, "spurious", &counters->spurious, "},\n");
	own_writer_print(writer, "%s\"mutexes\": {", indent);
	counter(writer, "contended", &counters->contended, ", ");
	counter(writer, "spin_acquired", &counters->spin_acquired, ", ");
	counter(writer, "queued", &counters->queued, ", ");
	counter(writer, "handoffs", &counters->handoffs, ", ");
	counter(writer, "longest_wait_ns", &counters->longest_wait_ns, "},\n");
	own_writer_print(writer, "%s\"conditions\": {", indent);
	counter(writer, "waits", &counters->cond_waits, ", ");
	counter(writer, "spun", &counters->cond_spun, ", ");
	counter(writer, "requeues", &counters->requeues, "},\n");
	own_writer_print(writer, "%s\"buckets\": {", indent);
	counter(writer, "known", &counters->bucket_known, ", ");
	counter(writer, "shared", &counters->bucket_shared, "},\n");
	own_writer_print(writer, "%s", indent);
	counter(writer, "fallback_sleeps", &counters->fallback_sleeps, "");
}

static void sums_fields(struct own_writer *writer, const struct own_record_sums *sums)
{
	number(writer, "queued", sums->queued, ", ");
	number(writer, "time_ns", sums->time_ns, ", ");
	number(writer, "longest_ns", sums->longest_ns, ", ");
	number(writer, "spun", sums->spun, "");
	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++) {
		own_writer_print(writer, ", ");
		number(writer, own_outcome_names[i], sums->outcomes[i], "");
	}
}

static void site_object(struct own_report *report, const struct own_lock *lock,
			const struct own_lock_site *site)
{
	char name[OWN_SYMBOL_SIZE];

	own_report_site(report, lock->segment, site->address, name);
	if (site->address <= OWN_SITE_NAME)
		own_writer_print(&report->writer, "{\"address\": null");
	else
		own_writer_print(&report->writer, "{\"address\": \"0x%" PRIx64 "\"", site->address);
	own_writer_print(&report->writer, ", \"symbol\": ");
	own_writer_json(&report->writer, name);
	own_writer_print(&report->writer, ", ");
	sums_fields(&report->writer, &site->sums);
	own_writer_print(&report->writer, "}");
}

static void lock_object(struct own_report *report, const struct own_lock *lock)
{
	struct own_lock_site site;
	bool more = own_lock_next_site(lock, NULL, &site);
	const char *separator = "\n          ";
	char name[OWN_SYMBOL_SIZE];

	own_writer_print(&report->writer, "{\"address\": \"0x%" PRIx64 "\", \"kind\": \"%s\"",
			 lock->object, own_report_kind(lock->kind));
	own_writer_print(&report->writer, ", \"name\": ");
	own_writer_json(&report->writer, own_report_lock_name(report, lock, name) ? name : NULL);
	own_writer_print(&report->writer, ",\n         ");
	sums_fields(&report->writer, &lock->sums);
	own_writer_print(&report->writer, ",\n         \"sites\": [");
	while (more) {
		struct own_lock_site previous = site;

		own_writer_print(&report->writer, "%s", separator);
		site_object(report, lock, &site);
		separator = ",\n          ";
		more = own_lock_next_site(lock, &previous, &site);
	}
	own_writer_print(&report->writer, "]}");
}

static void process_object(struct own_report *report, const struct own_segment *segment)
{
	struct own_writer *writer = &report->writer;
	struct own_counters sum;
	char command[OWN_COMMAND_SIZE];
	const char *separator = "\n        ";

	own_writer_print(writer, "    {\"pid\": %" PRId32 ", \"ppid\": %" PRId32,
			 own_load_relaxed(&segment->pid), own_load_relaxed(&segment->ppid));
	own_writer_print(writer, ", \"image\": \"%s\", \"state\": ", own_report_image(segment));
	own_writer_json(writer, own_report_fate(report, segment));
	own_writer_print(writer, ",\n     \"command\": ");
	own_report_command(segment, command);
	own_writer_json(writer, command);
	own_writer_print(writer, ",\n     ");
	number(writer, "start_ns", own_load_relaxed(&segment->start_ns), ", ");
	number(writer, "duration_ns", own_report_duration(segment), ", ");
	own_writer_print(writer, "\"futex_hash\": \"%s\", ", own_report_hash(segment));
	number(writer, "futex_slots", own_hash_state_slots(segment), ",\n     ");
	number(writer, "records_overflow", own_load_relaxed(&segment->records_overflow), ", ");
	number(writer, "threads_overflow", own_load_relaxed(&segment->threads_overflow), ",\n");
	own_counters_sum(segment, &sum);
	counters_fields(writer, &sum, "     ");
	own_writer_print(writer, ",\n     \"locks\": [");
	for (size_t i = 0; i < report->locks.count; i++) {
		if (report->locks.locks[i].segment != segment)
			continue;
		own_writer_print(writer, "%s", separator);
		lock_object(report, &report->locks.locks[i]);
		separator = ",\n        ";
	}
	own_writer_print(writer, "]}");
}

void own_report_json(struct own_report *report)
{
	struct own_writer *writer = &report->writer;

	own_writer_print(writer, "{\n  \"schema\": %d,\n  \"totals\": {\n", OWN_REPORT_SCHEMA);
	counters_fields(writer, &report->total, "    ");
	own_writer_print(writer, "\n  },\n  ");
	number(writer, "processes_refused", report->options->refused, ", ");
	number(writer, "processes_quiet", report->options->returned, ",\n");
	own_writer_print(writer, "  \"processes\": [\n");
	for (size_t i = 0; i < report->count; i++) {
		if (i > 0)
			own_writer_print(writer, ",\n");
		process_object(report, report->segments[i]);
	}
	own_writer_print(writer, "\n  ]\n}\n");
}
