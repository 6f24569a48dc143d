/* The report for people: 80 columns, the verdict in the first three lines. */
#include "stats/counters.h"
#include "stats/format.h"
#include "stats/histogram.h"
#include "stats/report_parts.h"
#include "stats/shorten.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SITES_SHOWN  3
#define SITE_COLUMNS 62
#define BAR_WIDTH    16

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void verdict_waits(struct own_report *report)
{
	const struct own_outcome *mismatch = &report->total.waits[OWN_WAIT_MISMATCH];
	struct own_wait_totals waits = own_report_waits(&report->total);
	uint64_t mismatched = own_load_relaxed(&mismatch->count);
	uint64_t contended = own_load_relaxed(&report->total.contended);

	if (waits.count == 0) {
		own_writer_print(&report->writer,
				 "ownline: no wait in the kernel;"
				 " %s contended lock call%s ended by spinning.\n",
				 own_figure_count(contended).text, plural(contended));
		return;
	}
	own_writer_print(&report->writer, "ownline: %s wait%s in the kernel took %s.\n",
			 own_figure_count(waits.count).text, plural(waits.count),
			 own_figure_time(waits.time_ns).text);
	if (mismatched == 0)
		own_writer_print(&report->writer, "None of them mismatched.\n");
	else
		own_writer_print(
		    &report->writer, "Mismatched: %s (%s), which cost %s (%s of the time).\n",
		    own_figure_count(mismatched).text,
		    own_figure_share(mismatched, waits.count).text,
		    own_figure_time(own_load_relaxed(&mismatch->time_ns)).text,
		    own_figure_share(own_load_relaxed(&mismatch->time_ns), waits.time_ns).text);
}

static void print_lock(struct own_report *report, const struct own_lock *lock)
{
	char name[OWN_SYMBOL_SIZE];

	own_writer_print(&report->writer, "%s 0x%" PRIx64, own_report_kind(lock->kind),
			 lock->object);
	if (own_report_lock_name(report, lock, name)) {
		own_writer_print(&report->writer, " \"");
		own_writer_clean(&report->writer, name, 20);
		own_writer_print(&report->writer, "\"");
	}
}

/* Of the mutexes: a wait on a condition variable is mostly for work, not for a lock. */
static void verdict_lock(struct own_report *report)
{
	const struct own_lock *most = NULL;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < report->locks.count; i++) {
		const struct own_lock *lock = &report->locks.locks[i];

		if (lock->kind != OWN_OBJECT_MUTEX)
			continue;
		time_ns += lock->sums.time_ns;
		if (most == NULL || lock->sums.time_ns > most->sums.time_ns)
			most = lock;
	}
	if (most == NULL) {
		own_writer_print(&report->writer, "No %s was waited for.\n",
				 report->locks.count == 0 ? "lock" : "mutex");
		return;
	}
	own_writer_print(&report->writer, "Most contended: ");
	print_lock(report, most);
	own_writer_print(&report->writer, ", %s of the queueing.\n",
			 own_figure_share(most->sums.time_ns, time_ns).text);
}

static void print_hash(struct own_report *report, const struct own_segment *segment)
{
	uint32_t slots = own_load_relaxed(&segment->futex_slots);
	const char *text = NULL;

	switch (slots) {
	case OWN_HASH_NONE:
		text = "none, single-threaded";
		break;
	case OWN_HASH_GLOBAL:
		text = "the global one";
		break;
	case OWN_HASH_UNKNOWN:
		text = "unknown, asking is not permitted";
		break;
	case OWN_HASH_MISSING:
		text = "the global one, this kernel has no other";
		break;
	}
	if (text != NULL)
		own_writer_print(&report->writer, "  futex hash: %s\n", text);
	else
		own_writer_print(&report->writer, "  futex hash: %" PRIu32 " slots\n", slots);
}

static void print_process(struct own_report *report, const struct own_segment *segment)
{
	char command[OWN_COMMAND_SIZE];

	own_writer_print(&report->writer, "pid %-8" PRId32 " ", own_load_relaxed(&segment->pid));
	own_report_command(segment, command);
	own_writer_clean(&report->writer, command, 64);
	own_writer_print(&report->writer, "\n  %s after %s", own_report_fate(report, segment),
			 own_figure_time(own_report_duration(segment)).text);
	if (report->count > 1) {
		struct own_counters sum;
		struct own_wait_totals waits;

		own_counters_sum(segment, &sum);
		waits = own_report_waits(&sum);
		own_writer_print(
		    &report->writer, ", %s wait%s, %s mismatched",
		    own_figure_count(waits.count).text, plural(waits.count),
		    own_figure_count(own_load_relaxed(&sum.waits[OWN_WAIT_MISMATCH].count)).text);
	}
	own_writer_print(&report->writer, "\n");
	print_hash(report, segment);
}

/* Of many processes, the ones that met no contention are only counted. */
static void print_processes(struct own_report *report)
{
	uint64_t quiet = report->options->returned;

	for (size_t i = 0; i < report->count; i++) {
		if (i > 0 && own_segment_is_quiet(report->segments[i]))
			quiet++;
		else
			print_process(report, report->segments[i]);
	}
	if (quiet > 0)
		own_writer_print(&report->writer, "%s more met no contention\n",
				 own_figure_count(quiet).text);
}

static void outcome_row(struct own_report *report, const char *name, uint64_t count,
			uint64_t time_ns, uint64_t all)
{
	own_writer_print(&report->writer, "  %-12s %16s %9s %10s %10s\n", name,
			 own_figure_count(count).text, own_figure_share(count, all).text,
			 count > 0 ? own_figure_time(time_ns).text : "-",
			 count > 0 ? own_figure_time(time_ns / count).text : "-");
}

static void outcome_table(struct own_report *report)
{
	struct own_wait_totals waits = own_report_waits(&report->total);

	own_writer_print(&report->writer, "\nwaits in the kernel    count     share       time"
					  "       mean\n");
	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++) {
		const struct own_outcome *outcome = &report->total.waits[i];

		outcome_row(report, own_outcome_names[i], own_load_relaxed(&outcome->count),
			    own_load_relaxed(&outcome->time_ns), waits.count);
	}
	outcome_row(report, "all", waits.count, waits.time_ns, waits.count);
}

static uint64_t bucket_sum(const struct own_counters *total, unsigned bucket)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++)
		sum += own_load_relaxed(&total->waits[i].histogram[bucket]);
	return sum;
}

static void histogram_row(struct own_report *report, unsigned bucket, uint64_t largest)
{
	static const char bar[BAR_WIDTH + 1] = "@@@@@@@@@@@@@@@@";
	struct own_figure start = own_figure_power(own_histogram_start(bucket));
	struct own_figure end = own_figure_power(own_histogram_start(bucket + 1));
	uint64_t sum = bucket_sum(&report->total, bucket);
	char range[2 * OWN_FIGURE_SIZE + 8];
	unsigned width = (unsigned)(((largest >> 32) > 0 ? sum / (largest / BAR_WIDTH)
							 : sum * BAR_WIDTH / largest));

	if (sum > 0 && width == 0)
		width = 1;
	if (bucket == OWN_HISTOGRAM_BUCKETS - 1)
		snprintf(range, sizeof(range), "[%s, ...)", start.text);
	else
		snprintf(range, sizeof(range), "[%s, %s)", start.text, end.text);
	own_writer_print(&report->writer, "  %-13s", range);
	for (size_t i = 0; i < OWN_WAIT_OUTCOMES; i++)
		own_writer_print(&report->writer, " %11" PRIu64,
				 own_load_relaxed(&report->total.waits[i].histogram[bucket]));
	own_writer_print(&report->writer, " %.*s\n", (int)(width < BAR_WIDTH ? width : BAR_WIDTH),
			 bar);
}

static void histogram_table(struct own_report *report)
{
	unsigned first = OWN_HISTOGRAM_BUCKETS;
	unsigned last = 0;
	uint64_t largest = 0;

	for (unsigned bucket = 0; bucket < OWN_HISTOGRAM_BUCKETS; bucket++) {
		uint64_t sum = bucket_sum(&report->total, bucket);

		if (sum == 0)
			continue;
		if (first == OWN_HISTOGRAM_BUCKETS)
			first = bucket;
		last = bucket;
		if (sum > largest)
			largest = sum;
	}
	if (largest == 0)
		return;
	own_writer_print(&report->writer, "\nns (K = 1024)         woken    mismatch     timeout"
					  " interrupted\n");
	for (unsigned bucket = first; bucket <= last; bucket++)
		histogram_row(report, bucket, largest);
}

static void two_figures(struct own_report *report, const char *left, const _Atomic uint64_t *first,
			const char *right, const _Atomic uint64_t *second)
{
	own_writer_print(&report->writer, "  %-20s %14s    %-22s %14s\n", left,
			 own_figure_count(own_load_relaxed(first)).text, right,
			 own_figure_count(own_load_relaxed(second)).text);
}

static void other_counters(struct own_report *report)
{
	const struct own_counters *total = &report->total;

	own_writer_print(&report->writer, "\nother counts\n");
	two_figures(report, "wakes issued", &total->wakes, "contended lock calls",
		    &total->contended);
	two_figures(report, "of these empty", &total->wakes_empty, "acquired by spinning",
		    &total->spin_acquired);
	two_figures(report, "wakes saved", &total->wakes_saved, "queued", &total->queued);
	two_figures(report, "spurious wakes", &total->spurious, "hand-offs", &total->handoffs);
	two_figures(report, "condition waits", &total->cond_waits, "requeues", &total->requeues);
	own_writer_print(&report->writer, "  %-20s %14s    %-22s %14s\n", "notified spinning",
			 own_figure_count(own_load_relaxed(&total->cond_spun)).text, "longest wait",
			 own_figure_time(own_load_relaxed(&total->longest_wait_ns)).text);
	two_figures(report, "futex bucket known", &total->bucket_known, "another waiter in it",
		    &total->bucket_shared);
	if (own_load_relaxed(&total->fallback_sleeps) > 0)
		own_writer_print(&report->writer, "  out of memory for waiters: slept %s times\n",
				 own_figure_count(own_load_relaxed(&total->fallback_sleeps)).text);
}

static void lock_sites(struct own_report *report, const struct own_lock *lock)
{
	struct own_lock_site site;
	bool more = own_lock_next_site(lock, NULL, &site);

	for (unsigned shown = 0; more; shown++) {
		char name[OWN_SYMBOL_SIZE];
		struct own_lock_site previous = site;

		if (shown == SITES_SHOWN) {
			own_writer_print(&report->writer, "             and other places\n");
			return;
		}
		own_report_site(report, lock->segment, site.address, name);
		own_writer_print(&report->writer, "    %8s from ",
				 own_figure_share(site.sums.time_ns, lock->sums.time_ns).text);
		own_shorten_site(name, SITE_COLUMNS);
		own_writer_clean(&report->writer, name, SITE_COLUMNS);
		own_writer_print(&report->writer, "\n");
		more = own_lock_next_site(lock, &previous, &site);
	}
}

static void lock_entry(struct own_report *report, const struct own_lock *lock, size_t place)
{
	const struct own_record_sums *sums = &lock->sums;

	own_writer_print(&report->writer, "%3zu. ", place);
	print_lock(report, lock);
	if (report->count > 1)
		own_writer_print(&report->writer, " in pid %" PRId32,
				 own_load_relaxed(&lock->segment->pid));
	own_writer_print(&report->writer, "\n     %s queued for %s (%s), longest %s, %s spun\n",
			 own_figure_count(sums->queued).text, own_figure_time(sums->time_ns).text,
			 own_figure_share(sums->time_ns, report->locks.time_ns).text,
			 own_figure_time(sums->longest_ns).text, own_figure_count(sums->spun).text);
	own_writer_print(&report->writer,
			 "     woken %" PRIu64 "  mismatch %" PRIu64 "  timeout %" PRIu64
			 "  interrupted %" PRIu64 "\n",
			 sums->outcomes[OWN_WAIT_WOKEN], sums->outcomes[OWN_WAIT_MISMATCH],
			 sums->outcomes[OWN_WAIT_TIMEOUT], sums->outcomes[OWN_WAIT_INTERRUPTED]);
	lock_sites(report, lock);
}

static void overflows(struct own_report *report)
{
	uint64_t records = 0;
	uint64_t threads = 0;

	for (size_t i = 0; i < report->count; i++) {
		records += own_load_relaxed(&report->segments[i]->records_overflow);
		threads += own_load_relaxed(&report->segments[i]->threads_overflow);
	}
	if (records > 0)
		own_writer_print(
		    &report->writer,
		    "\nNot in the list of locks: %s wait%s, for it holds %d entries.\n",
		    own_figure_count(records).text, plural(records), OWN_RECORDS);
	if (threads > 0)
		own_writer_print(&report->writer,
				 "\n%s thread%s shared one set of counters; %d have their own.\n",
				 own_figure_count(threads).text, plural(threads), OWN_THREADS);
	if (report->options->refused > 0)
		own_writer_print(&report->writer,
				 "\n%" PRIu32 " more process%s not counted: the region is full.\n",
				 report->options->refused,
				 report->options->refused == 1 ? " is" : "es are");
}

void own_report_text(struct own_report *report)
{
	size_t shown = report->options->top;

	verdict_waits(report);
	verdict_lock(report);
	own_writer_print(&report->writer, "\n");
	print_processes(report);
	outcome_table(report);
	histogram_table(report);
	other_counters(report);
	if (shown > report->locks.count)
		shown = report->locks.count;
	if (shown > 0)
		own_writer_print(&report->writer, "\nmost contended: %zu of %zu locks\n", shown,
				 report->locks.count);
	for (size_t i = 0; i < shown; i++)
		lock_entry(report, &report->locks.locks[i], i + 1);
	overflows(report);
}
