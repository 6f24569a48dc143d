/* The report for people. */
#include "trace.h"

static double share(__u64 part, __u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void put_title(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_options *options = report->options;

	fputs("futex calls of ", stream);
	if (options->target == OWN_TRACE_COMMAND)
		for (char **word = options->command; *word; word++)
			fprintf(stream, "%s%s", word == options->command ? "" : " ", *word);
	else if (options->target == OWN_TRACE_PID)
		fprintf(stream, "process %d and its children", options->pid);
	else
		fputs("the whole system", stream);
	fprintf(stream, ", %.3f s%s\n", report->result->seconds,
		report->result->final ? "" : " so far");
}

static __u64 over_1us(const struct own_trace_timing *timing)
{
	__u64 count = 0;

	for (unsigned bucket = OWN_TRACE_BUCKET_1US; bucket < OWN_TRACE_BUCKETS; bucket++)
		count += timing->histogram[bucket];
	return count;
}

static void put_timing(FILE *stream, const char *name, const struct own_trace_timing *timing,
		       __u64 all)
{
	fprintf(stream, "  %-12s %12llu %6.2f %% %14.3f %12.3f %9.1f %%\n", name,
		(unsigned long long)timing->count, share(timing->count, all),
		(double)timing->time_ns / 1e6,
		timing->count ? (double)timing->time_ns / 1e3 / (double)timing->count : 0.0,
		share(over_1us(timing), timing->count));
}

static void put_header(FILE *stream, const char *what)
{
	fprintf(stream, "  %-12s %12s %8s %14s %12s %11s\n", what, "calls", "share", "time ms",
		"us per call", "over 1 us");
}

static void put_waits(FILE *stream, const struct own_trace_result *result)
{
	const struct own_trace_totals *totals = &result->totals;
	__u64 waits = 0;

	for (int class = 0; class < OWN_TRACE_WAIT_CLASSES; class ++)
		waits += totals->classes[class].count;
	fprintf(stream, "waits: %llu, %.2f %% of them mismatched (the word had changed: EAGAIN)",
		(unsigned long long)waits, share(totals->classes[OWN_TRACE_MISMATCH].count, waits));
	if (result->waits_in_progress)
		fprintf(stream, "; %llu more in progress",
			(unsigned long long)result->waits_in_progress);
	putc('\n', stream);
	if (totals->waits_resumed)
		fprintf(stream,
			"  %llu of them went on after an interruption that the program never saw\n",
			(unsigned long long)totals->waits_resumed);
	put_header(stream, "outcome");
	for (int class = 0; class < OWN_TRACE_WAIT_CLASSES; class ++)
		put_timing(stream, own_trace_class_names[class], &totals->classes[class], waits);
	fprintf(stream, "  %-12s %12s\n", "return", "calls");
	for (unsigned index = 0; index < OWN_TRACE_RETURNS; index++)
		if (totals->returns[index])
			fprintf(stream, "  %-12d %12llu %6.2f %%  %s\n",
				own_trace_return_value(index),
				(unsigned long long)totals->returns[index],
				share(totals->returns[index], waits), own_trace_return_name(index));
}

/* What better locks or a better kernel could save at most. */
static void put_futile(FILE *stream, const struct own_trace_result *result)
{
	const struct own_trace_timing *classes = result->totals.classes;
	const double futile_s =
	    (double)(classes[OWN_TRACE_MISMATCH].time_ns + classes[OWN_TRACE_WAKE_EMPTY].time_ns) /
	    1e9;
	const double all_s = result->seconds * (double)result->cpus;

	fprintf(
	    stream,
	    "futile calls (mismatch and woke_nobody): %.3f ms, %.2f %% of the time of %ld CPU%s\n",
	    futile_s * 1e3, all_s > 0 ? 100 * futile_s / all_s : 0.0, result->cpus,
	    result->cpus == 1 ? "" : "s");
}

static void put_wakes(FILE *stream, const struct own_trace_result *result)
{
	const struct own_trace_totals *totals = &result->totals;
	__u64 wakes = 0;

	for (int class = OWN_TRACE_WAKE; class < OWN_TRACE_CLASSES; class ++)
		wakes += totals->classes[class].count;
	fprintf(stream, "wakes: %llu, %.2f %% of them woke nobody; %llu threads woken\n",
		(unsigned long long)wakes,
		share(totals->classes[OWN_TRACE_WAKE_EMPTY].count, wakes),
		(unsigned long long)totals->threads_woken);
	put_header(stream, "result");
	for (int class = OWN_TRACE_WAKE; class < OWN_TRACE_CLASSES; class ++)
		put_timing(stream, own_trace_class_names[class], &totals->classes[class], wakes);
	put_futile(stream, result);
	fputs("calls by operation:", stream);
	for (int operation = 0; operation < OWN_TRACE_OPERATIONS; operation++)
		if (totals->calls[operation])
			fprintf(stream, " %s %llu", own_trace_operation_names[operation],
				(unsigned long long)totals->calls[operation]);
	putc('\n', stream);
}

static void put_bar(FILE *stream, const char *label, __u64 count, __u64 most)
{
	int width = most ? (int)(40 * count / most) : 0;

	fprintf(stream, "  %-16s %12llu |%-40.*s|\n", label, (unsigned long long)count, width,
		"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@");
}

/* Powers of two of a microsecond; what is below one is one row. */
static void put_histogram(FILE *stream, const char *name, const struct own_trace_timing *timing)
{
	__u64 below = 0, most = 0;
	unsigned last = 0;

	if (!timing->count)
		return;
	for (unsigned bucket = 0; bucket < OWN_TRACE_BUCKETS; bucket++) {
		if (bucket < OWN_TRACE_BUCKET_1US)
			below += timing->histogram[bucket];
		else if (timing->histogram[bucket] > most)
			most = timing->histogram[bucket];
		if (timing->histogram[bucket])
			last = bucket;
	}
	most = below > most ? below : most;
	fprintf(stream, "%s, microseconds:\n", name);
	put_bar(stream, "[0]", below, most);
	for (unsigned bucket = OWN_TRACE_BUCKET_1US; bucket <= last; bucket++) {
		unsigned long long from = own_trace_bucket_from(bucket) / 1000;
		char label[48];

		if (from == 1)
			snprintf(label, sizeof(label), "[1]");
		else
			snprintf(label, sizeof(label), "[%llu, %llu)", from, 2 * from);
		put_bar(stream, label, timing->histogram[bucket], most);
	}
}

/* `calls`: how many calls ended this way at all. */
static void put_lock_row(FILE *stream, const char *name, const struct own_trace_timing *lock,
			 __u64 calls, __u64 all_time_ns)
{
	if (!calls)
		return;
	fprintf(stream, "  %-12s %12llu %9.2f %% %12.3f %9.2f %% %12.3f %9.1f %%\n", name,
		(unsigned long long)lock->count, share(lock->count, calls),
		(double)lock->time_ns / 1e6, share(lock->time_ns, all_time_ns),
		lock->count ? (double)lock->time_ns / 1e3 / (double)lock->count : 0.0,
		share(over_1us(lock), lock->count));
}

static void put_lock(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_totals *totals = &report->result->totals;
	const char *reason = own_trace_lock_reason(report->session);
	__u64 all_time_ns = 0;

	switch (own_trace_lock_source(report->session)) {
	case OWN_TRACE_LOCK_NONE:
		fprintf(stream, "getting the bucket lock: not measured (%s)\n", reason);
		return;
	case OWN_TRACE_LOCK_FENTRY:
		fputs("getting the bucket lock, waits:\n", stream);
		break;
	case OWN_TRACE_LOCK_CONTENTION:
		fprintf(stream, "getting the bucket lock, where it was contended (%s):\n", reason);
		break;
	}
	for (int class = 0; class < OWN_TRACE_CLASSES; class ++)
		all_time_ns += totals->lock[class].time_ns;
	fprintf(stream, "  %-12s %12s %11s %12s %11s %12s %11s\n", "outcome", "calls", "of its all",
		"time ms", "of the time", "us per call", "over 1 us");
	for (int class = 0; class < OWN_TRACE_CLASSES; class ++)
		put_lock_row(stream, own_trace_class_names[class], &totals->lock[class],
			     totals->classes[class].count, all_time_ns);
	if (!report->result->final)
		return;
	put_histogram(stream, "bucket lock, woken", &totals->lock[OWN_TRACE_WOKEN]);
	put_histogram(stream, "bucket lock, mismatch", &totals->lock[OWN_TRACE_MISMATCH]);
}

static void put_row(FILE *stream, const struct own_trace_row *row, __u64 in_progress)
{
	fprintf(
	    stream, "  %10llu %10llu %6.2f %% %10llu %8llu %6llu %6llu %10llu %10llu  ",
	    (unsigned long long)own_trace_waits(row->count),
	    (unsigned long long)row->count[OWN_TRACE_MISMATCH],
	    share(row->count[OWN_TRACE_MISMATCH], own_trace_waits(row->count)),
	    (unsigned long long)row->count[OWN_TRACE_WOKEN],
	    (unsigned long long)row->count[OWN_TRACE_TIMEOUT],
	    (unsigned long long)(row->count[OWN_TRACE_INTERRUPTED] + row->count[OWN_TRACE_OTHER]),
	    (unsigned long long)in_progress, (unsigned long long)own_trace_wakes(row->count),
	    (unsigned long long)row->count[OWN_TRACE_WAKE_EMPTY]);
}

static void put_row_header(FILE *stream, const char *what)
{
	fprintf(stream, "  %10s %10s %8s %10s %8s %6s %6s %10s %10s  %s\n", "waits", "mismatch",
		"share", "woken", "timeout", "rest", "now", "wakes", "to nobody", what);
}

static void put_more(FILE *stream, size_t count, size_t shown)
{
	if (count > shown)
		fprintf(stream, "  and %zu more; --top %zu shows them all\n", count - shown, count);
}

static void put_names(FILE *stream, const struct own_trace_result *result, size_t top)
{
	if (!result->name_count)
		return;
	fputs("by thread name:\n", stream);
	put_row_header(stream, "name");
	for (size_t i = 0; i < result->name_count && i < top; i++) {
		put_row(stream, &result->names[i].row, result->names[i].in_progress);
		fprintf(stream, "%.16s\n", result->names[i].key.name);
	}
	put_more(stream, result->name_count, top);
}

static void put_words(FILE *stream, const struct own_trace_result *result, size_t top)
{
	if (!result->word_count)
		return;
	fputs("by futex word:\n", stream);
	put_row_header(stream, "process, word");
	for (size_t i = 0; i < result->word_count && i < top; i++) {
		put_row(stream, &result->words[i].row, result->words[i].in_progress);
		fprintf(stream, "%u 0x%llx\n", result->words[i].key.tgid,
			(unsigned long long)result->words[i].key.address);
	}
	put_more(stream, result->word_count, top);
}

static void put_sites(FILE *stream, const struct own_trace_report *report, size_t top)
{
	const struct own_trace_result *result = report->result;

	if (!result->site_count)
		return;
	fputs("by calling site:\n", stream);
	put_row_header(stream, "process, innermost function first");
	for (size_t i = 0; i < result->site_count && i < top; i++) {
		const struct own_trace_site_key *key = &result->sites[i].key;
		struct own_trace_place place;

		put_row(stream, &result->sites[i].row, 0);
		fprintf(stream, "%u", key->tgid);
		for (int frame = 0; frame < OWN_TRACE_FRAMES && key->frames[frame]; frame++) {
			own_trace_symbols_find(report->symbols, key->tgid, key->frames[frame],
					       &place);
			fprintf(stream, "%s %s", frame ? " <" : "", place.name);
		}
		putc('\n', stream);
	}
	put_more(stream, result->site_count, top);
}

static void put_incomplete(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_result *result = report->result;
	const struct own_trace_totals *totals = &result->totals;
	const struct {
		__u64 value;
		const char *text;
	} notes[] = {
	    {totals->threads_lost, "threads found no room and were not followed; raise --rows"},
	    {totals->calls_lost, "calls were made by threads that found no room; raise --rows"},
	    {totals->words_lost, "calls are missing in the table by word; raise --rows"},
	    {totals->names_lost, "calls are missing in the table by name; raise --rows"},
	    {totals->sites_lost, "calls are missing in the table by site; raise --rows"},
	    {totals->stacks_failed, "calls had no readable stack"},
	    {report->symbols ? own_trace_symbols_lost(report->symbols) : 0,
	     "mappings are unknown: some calling sites lack names"},
	    {result->missed_events, "events were skipped by the kernel: counts are too low"},
	    {totals->began_before, "calls had begun before tracing did: not counted"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].value)
			fprintf(stream, "note: %llu %s\n", (unsigned long long)notes[i].value,
				notes[i].text);
}

void own_trace_write_text(FILE *stream, const struct own_trace_report *report)
{
	const struct own_trace_result *result = report->result;
	size_t top = report->options->top;

	put_title(stream, report);
	put_waits(stream, result);
	put_wakes(stream, result);
	if (result->final)
		for (int class = 0; class < OWN_TRACE_CLASSES; class ++)
			put_histogram(stream, own_trace_class_names[class],
				      &result->totals.classes[class]);
	put_lock(stream, report);
	put_names(stream, result, top);
	put_words(stream, result, top);
	put_sites(stream, report, top);
	put_incomplete(stream, report);
	fflush(stream);
}
