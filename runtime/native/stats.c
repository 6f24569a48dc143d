/* ownline_stats_* and ownline_report_write. */
#include <ownline/stats.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/compiler.h"
#include "config/options.h"
#include "core/start.h"
#include "core/thread_life.h"
#include "stats/counters.h"
#include "stats/hash_state.h"
#include "stats/locks.h"
#include "stats/report.h"

_Static_assert((int)OWNLINE_REPORT_TEXT == (int)OWN_REPORT_TEXT, "as in the report");
_Static_assert((int)OWNLINE_REPORT_JSON == (int)OWN_REPORT_JSON, "as in the report");

static void copy_waits(struct ownline_stats *stats, const struct own_counters *sum)
{
	const struct own_outcome *outcomes = sum->waits;

	stats->woken = own_load_relaxed(&outcomes[OWN_WAIT_WOKEN].count);
	stats->mismatched = own_load_relaxed(&outcomes[OWN_WAIT_MISMATCH].count);
	stats->timed_out = own_load_relaxed(&outcomes[OWN_WAIT_TIMEOUT].count);
	stats->interrupted = own_load_relaxed(&outcomes[OWN_WAIT_INTERRUPTED].count);
	stats->waits = stats->woken + stats->mismatched + stats->timed_out + stats->interrupted;
	stats->woken_ns = own_load_relaxed(&outcomes[OWN_WAIT_WOKEN].time_ns);
	stats->mismatched_ns = own_load_relaxed(&outcomes[OWN_WAIT_MISMATCH].time_ns);
	stats->timed_out_ns = own_load_relaxed(&outcomes[OWN_WAIT_TIMEOUT].time_ns);
	stats->interrupted_ns = own_load_relaxed(&outcomes[OWN_WAIT_INTERRUPTED].time_ns);
	stats->wait_ns =
	    stats->woken_ns + stats->mismatched_ns + stats->timed_out_ns + stats->interrupted_ns;
}

OWN_EXPORT void ownline_stats_read(struct ownline_stats *stats)
{
	const struct own_segment *segment = own_stats_segment();
	struct own_counters sum;

	own_start_anchor();
	own_counters_sum(segment, &sum);
	memset(stats, 0, sizeof(*stats));
	copy_waits(stats, &sum);
	stats->wakes = own_load_relaxed(&sum.wakes);
	stats->wakes_saved = own_load_relaxed(&sum.wakes_saved);
	stats->spurious = own_load_relaxed(&sum.spurious);
	stats->contended = own_load_relaxed(&sum.contended);
	stats->spin_acquired = own_load_relaxed(&sum.spin_acquired);
	stats->queued = own_load_relaxed(&sum.queued);
	stats->handoffs = own_load_relaxed(&sum.handoffs);
	stats->cond_waits = own_load_relaxed(&sum.cond_waits);
	stats->cond_spun = own_load_relaxed(&sum.cond_spun);
	stats->requeues = own_load_relaxed(&sum.requeues);
	stats->fallback_sleeps = own_load_relaxed(&sum.fallback_sleeps);
	stats->longest_wait_ns = own_load_relaxed(&sum.longest_wait_ns);
	stats->records_missed = own_load_relaxed(&segment->records_overflow);
	stats->bucket_known = own_load_relaxed(&sum.bucket_known);
	stats->bucket_shared = own_load_relaxed(&sum.bucket_shared);
}

OWN_EXPORT void ownline_object_stats(const void *object, struct ownline_lock_stats *stats)
{
	struct own_record_sums sums;

	own_lock_sums(own_stats_segment(), (uint64_t)(uintptr_t)object, &sums);
	memset(stats, 0, sizeof(*stats));
	stats->queued = sums.queued;
	stats->spun = sums.spun;
	stats->queued_ns = sums.time_ns;
	stats->longest_ns = sums.longest_ns;
	stats->woken = sums.outcomes[OWN_WAIT_WOKEN];
	stats->mismatched = sums.outcomes[OWN_WAIT_MISMATCH];
	stats->timed_out = sums.outcomes[OWN_WAIT_TIMEOUT];
	stats->interrupted = sums.outcomes[OWN_WAIT_INTERRUPTED];
	stats->waits = stats->woken + stats->mismatched + stats->timed_out + stats->interrupted;
}

OWN_EXPORT void ownline_mutex_stats(const struct ownline_mutex *mutex,
				    struct ownline_lock_stats *stats)
{
	ownline_object_stats(mutex, stats);
}

OWN_EXPORT void ownline_cond_stats(const struct ownline_cond *cond,
				   struct ownline_lock_stats *stats)
{
	ownline_object_stats(cond, stats);
}

OWN_EXPORT int ownline_object_set_name(const void *object, const char *name)
{
	return own_record_set_name(object, name) ? 0 : ENOSPC;
}

OWN_EXPORT void ownline_stats_reset(void)
{
	own_stats_reset();
}

OWN_EXPORT int ownline_report_write(int fd, enum ownline_report_format format)
{
	const struct own_report_options options = {
	    .format = (enum own_report_format)format,
	    .top = (unsigned)own_option(OWN_OPTION_top),
	};
	int saved = errno;
	int flags;

	if (format != OWNLINE_REPORT_TEXT && format != OWNLINE_REPORT_JSON)
		return EINVAL;
	flags = fcntl(fd, F_GETFL);
	errno = saved;
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return EBADF;
	own_stats_scan_modules();
	own_hash_state_look(own_stats_segment(), false);
	errno = saved;
	return own_report_write(fd, own_stats_segment(), &options);
}
