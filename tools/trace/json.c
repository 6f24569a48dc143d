/* The report for programs: one JSON document on one line. ownline-trace(1) describes its fields. */
#include "trace.h"

static void put_string(FILE *stream, const char *string)
{
	putc('"', stream);
	for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(stream, "\\%c", *c);
		else if (*c < 0x20 || *c >= 0x7f)
			/* Names are bytes, not text: each one by itself, so that none is lost. */
			fprintf(stream, "\\u%04x", *c);
		else
			putc(*c, stream);
	}
	putc('"', stream);
}

static void put_number(FILE *stream, const char *key, __u64 value)
{
	fprintf(stream, "\"%s\":%llu", key, (unsigned long long)value);
}

static void put_timing(FILE *stream, const struct own_trace_timing *timing)
{
	bool first = true;

	fprintf(stream, "{\"count\":%llu,\"time_ns\":%llu,\"histogram\":[",
		(unsigned long long)timing->count, (unsigned long long)timing->time_ns);
	for (unsigned bucket = 0; bucket < OWN_TRACE_BUCKETS; bucket++) {
		if (!timing->histogram[bucket])
			continue;
		fprintf(stream, "%s{\"from_ns\":%llu,\"to_ns\":", first ? "" : ",",
			(unsigned long long)own_trace_bucket_from(bucket));
		if (bucket == OWN_TRACE_BUCKETS - 1)
			fputs("null", stream);
		else
			fprintf(stream, "%llu",
				(unsigned long long)own_trace_bucket_from(bucket + 1));
		fprintf(stream, ",\"count\":%llu}", (unsigned long long)timing->histogram[bucket]);
		first = false;
	}
	fputs("]}", stream);
}

static void put_timings(FILE *stream, const struct own_trace_timing *timings, int from, int to)
{
	for (int class = from; class < to; class ++) {
		fprintf(stream, "%s\"%s\":", class == from ? "" : ",",
			own_trace_class_names[class]);
		put_timing(stream, &timings[class]);
	}
}

static void put_target(FILE *stream, const struct own_trace_options *options)
{
	fputs("\"target\":{", stream);
	if (options->target == OWN_TRACE_COMMAND) {
		fputs("\"kind\":\"command\",\"command\":[", stream);
		for (char **word = options->command; *word; word++) {
			if (word != options->command)
				putc(',', stream);
			put_string(stream, *word);
		}
		putc(']', stream);
	} else if (options->target == OWN_TRACE_PID) {
		fprintf(stream, "\"kind\":\"pid\",\"pid\":%d", options->pid);
	} else {
		fputs("\"kind\":\"all\"", stream);
	}
	fputs("},", stream);
}

static void put_waits(FILE *stream, const struct own_trace_result *result)
{
	const struct own_trace_totals *totals = &result->totals;
	bool first = true;

	fputs("\"waits\":{", stream);
	put_number(stream, "started", totals->waits_started);
	putc(',', stream);
	put_number(stream, "in_progress", result->waits_in_progress);
	putc(',', stream);
	put_number(stream, "resumed", totals->waits_resumed);
	fputs(",\"outcomes\":{", stream);
	put_timings(stream, totals->classes, 0, OWN_TRACE_WAIT_CLASSES);
	fputs("},\"returns\":[", stream);
	for (unsigned index = 0; index < OWN_TRACE_RETURNS; index++) {
		if (!totals->returns[index])
			continue;
		fprintf(stream, "%s{\"value\":%d,\"name\":\"%s\",\"count\":%llu}", first ? "" : ",",
			own_trace_return_value(index), own_trace_return_name(index),
			(unsigned long long)totals->returns[index]);
		first = false;
	}
	fputs("]},", stream);
}

static void put_wakes(FILE *stream, const struct own_trace_result *result)
{
	const struct own_trace_totals *totals = &result->totals;
	bool first = true;
	__u64 calls = 0;

	for (int class = OWN_TRACE_WAKE; class < OWN_TRACE_CLASSES; class ++)
		calls += totals->classes[class].count;
	fputs("\"wakes\":{", stream);
	put_number(stream, "calls", calls);
	putc(',', stream);
	put_number(stream, "threads_woken", totals->threads_woken);
	fputs(",\"outcomes\":{", stream);
	put_timings(stream, totals->classes, OWN_TRACE_WAKE, OWN_TRACE_CLASSES);
	fputs("}},\"operations\":{", stream);
	for (int operation = 0; operation < OWN_TRACE_OPERATIONS; operation++) {
		if (!totals->calls[operation])
			continue;
		fprintf(stream, "%s\"%s\":{\"calls\":%llu,\"failed\":%llu}", first ? "" : ",",
			own_trace_operation_names[operation],
			(unsigned long long)totals->calls[operation],
			(unsigned long long)totals->failed[operation]);
		first = false;
	}
	fputs("},", stream);
}

static void put_lock(FILE *stream, const struct own_trace_report *report)
{
	static const char *const sources[] = {
	    [OWN_TRACE_LOCK_NONE] = "none",
	    [OWN_TRACE_LOCK_FENTRY] = "every",
	    [OWN_TRACE_LOCK_CONTENTION] = "contended",
	};
	enum own_trace_lock_source source = own_trace_lock_source(report->session);

	fprintf(stream, "\"bucket_lock\":{\"measured\":\"%s\",\"reason\":", sources[source]);
	put_string(stream, own_trace_lock_reason(report->session));
	if (source != OWN_TRACE_LOCK_NONE) {
		fputs(",\"outcomes\":{", stream);
		put_timings(stream, report->result->totals.lock, 0, OWN_TRACE_CLASSES);
		putc('}', stream);
	}
	fputs("},", stream);
}

static void put_incomplete(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_result *result = report->result;
	const struct own_trace_totals *totals = &result->totals;
	const struct {
		const char *name;
		__u64 value;
	} counts[] = {
	    {"began_before", totals->began_before},
	    {"threads_lost", totals->threads_lost},
	    {"calls_lost", totals->calls_lost},
	    {"events_missed", result->missed_events},
	    {"words_lost", totals->words_lost},
	    {"names_lost", totals->names_lost},
	    {"sites_lost", totals->sites_lost},
	    {"stacks_failed", totals->stacks_failed},
	    {"mappings_lost", report->symbols ? own_trace_symbols_lost(report->symbols) : 0},
	};

	fputs("\"incomplete\":{", stream);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (i)
			putc(',', stream);
		put_number(stream, counts[i].name, counts[i].value);
	}
	putc('}', stream);
}

/* The counts that the rows of all three tables share; closes the row's object. */
static void put_row(FILE *stream, const struct own_trace_row *row)
{
	fputs("\"waits\":{", stream);
	for (int class = 0; class < OWN_TRACE_WAIT_CLASSES; class ++) {
		put_number(stream, own_trace_class_names[class], row->count[class]);
		putc(',', stream);
	}
	put_number(stream, "total", own_trace_waits(row->count));
	fputs("},\"wakes\":{", stream);
	for (int class = OWN_TRACE_WAKE; class < OWN_TRACE_CLASSES; class ++) {
		put_number(stream, own_trace_class_names[class], row->count[class]);
		putc(',', stream);
	}
	put_number(stream, "total", own_trace_wakes(row->count));
	putc(',', stream);
	put_number(stream, "threads_woken", row->threads_woken);
	fputs("},\"time_ns\":{", stream);
	for (int class = 0; class < OWN_TRACE_CLASSES; class ++) {
		if (class)
			putc(',', stream);
		put_number(stream, own_trace_class_names[class], row->time_ns[class]);
	}
	fputs("}}", stream);
}

static void put_words(FILE *stream, const struct own_trace_result *result)
{
	fputs(",\"words\":[", stream);
	for (size_t i = 0; i < result->word_count; i++) {
		const struct own_trace_word *word = &result->words[i];

		fprintf(stream, "%s{\"pid\":%u,\"address\":\"0x%llx\",\"in_progress\":%llu,",
			i ? "," : "", word->key.tgid, (unsigned long long)word->key.address,
			(unsigned long long)word->in_progress);
		put_row(stream, &word->row);
	}
	putc(']', stream);
}

static void put_threads(FILE *stream, const struct own_trace_result *result)
{
	fputs(",\"threads\":[", stream);
	for (size_t i = 0; i < result->name_count; i++) {
		const struct own_trace_name *name = &result->names[i];
		char text[sizeof(name->key.name) + 1];

		snprintf(text, sizeof(text), "%.16s", name->key.name);
		fprintf(stream, "%s{\"name\":", i ? "," : "");
		put_string(stream, text);
		fprintf(stream, ",\"in_progress\":%llu,", (unsigned long long)name->in_progress);
		put_row(stream, &name->row);
	}
	putc(']', stream);
}

static void put_sites(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_result *result = report->result;

	fputs(",\"sites\":[", stream);
	for (size_t i = 0; i < result->site_count; i++) {
		const struct own_trace_site *site = &result->sites[i];

		fprintf(stream, "%s{\"pid\":%u,\"frames\":[", i ? "," : "", site->key.tgid);
		for (int frame = 0; frame < OWN_TRACE_FRAMES && site->key.frames[frame]; frame++) {
			struct own_trace_place place;

			own_trace_symbols_find(report->symbols, site->key.tgid,
					       site->key.frames[frame], &place);
			fprintf(stream, "%s{\"address\":\"0x%llx\",\"name\":", frame ? "," : "",
				(unsigned long long)site->key.frames[frame]);
			put_string(stream, place.name);
			fputs(",\"module\":", stream);
			put_string(stream, place.module);
			putc('}', stream);
		}
		fputs("],", stream);
		put_row(stream, &site->row);
	}
	putc(']', stream);
}

void own_trace_write_json(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_result *result = report->result;
	unsigned by = report->options->by;

	fprintf(
	    stream,
	    "{\"schema\":%d,\"tool\":\"ownline trace\",\"final\":%s,\"seconds\":%.6f,\"cpus\":%ld,",
	    OWN_TRACE_SCHEMA, result->final ? "true" : "false", result->seconds, result->cpus);
	put_target(stream, report->options);
	put_waits(stream, result);
	put_wakes(stream, result);
	put_lock(stream, report);
	put_incomplete(stream, report);
	if (by & OWN_TRACE_BY_THREAD)
		put_threads(stream, result);
	if (by & OWN_TRACE_BY_WORD)
		put_words(stream, result);
	if (by & OWN_TRACE_BY_SITE)
		put_sites(stream, report);
	fputs("}\n", stream);
}
