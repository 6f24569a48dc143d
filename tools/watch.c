#include "tools/watch.h"

#include "stats/counters.h"
#include "stats/modules.h"
#include "tools/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static size_t index_of(const struct own_watch *watch, const struct own_segment *segment)
{
	for (size_t i = 0; i < OWN_REGION_SEGMENTS; i++) {
		if (watch->region->segments[i] == segment)
			return i;
	}
	return OWN_REGION_SEGMENTS;
}

static const struct own_module *module_of(const struct own_watch *watch,
					  const struct own_segment *segment, uint64_t address)
{
	size_t index = index_of(watch, segment);
	const struct own_module *module = NULL;

	if (index < OWN_REGION_SEGMENTS)
		module = own_process_modules_find(&watch->modules[index], address);
	return module != NULL ? module : own_module_find(segment, address);
}

void own_watch_symbolize(void *context, const struct own_segment *segment, uint64_t address,
			 char *name, size_t size)
{
	const struct own_module *module = module_of(context, segment, address);

	if (module == NULL)
		snprintf(name, size, "0x%" PRIx64, address);
	else
		own_symbols_name(module, address, name, size);
}

void own_watch_name_lock(void *context, const struct own_segment *segment, uint64_t address,
			 char *name, size_t size)
{
	const struct own_module *module = module_of(context, segment, address);

	name[0] = '\0';
	if (module != NULL)
		own_symbols_name_data(module, address, name, size);
}

/* The next image of the same process, if it has executed another program since. */
static struct own_segment *successor_of(const struct own_watch *watch,
					const struct own_segment *segment)
{
	size_t used = own_region_map_used(watch->region);
	struct own_segment *next = NULL;

	for (size_t i = 0; i < used; i++) {
		struct own_segment *later = own_region_map_segment(watch->region, i);

		if (later == NULL || own_load_relaxed(&later->image) != OWN_IMAGE_EXEC ||
		    own_load_relaxed(&later->pid) != own_load_relaxed(&segment->pid) ||
		    own_load_relaxed(&later->start_ns) <= own_load_relaxed(&segment->start_ns))
			continue;
		if (next == NULL ||
		    own_load_relaxed(&later->start_ns) < own_load_relaxed(&next->start_ns))
			next = later;
	}
	return next;
}

/* A process that has ended but was not waited for counts as ended. */
static bool is_alive(int pid)
{
	char path[32];
	char line[128];
	char state = 'X';
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (fgets(line, sizeof(line), file) != NULL) {
		/* The name before it is in brackets and may hold anything. */
		end = strrchr(line, ')');
		if (end != NULL && end[1] == ' ')
			state = end[2];
	}
	fclose(file);
	return state != 'Z' && state != 'X';
}

/* Ended, or gone on as another program, without anything to report. */
static bool can_be_returned(const struct own_watch *watch, const struct own_segment *segment)
{
	int pid = own_load_relaxed(&segment->pid);

	return pid != watch->child && own_load_relaxed(&segment->foreign) == 0 &&
	       own_segment_is_quiet(segment) &&
	       (successor_of(watch, segment) != NULL || !is_alive(pid));
}

void own_watch_tick(void *context)
{
	struct own_watch *watch = context;
	size_t used = own_region_map_used(watch->region);

	for (size_t i = 0; i < used; i++) {
		struct own_segment *segment = own_region_map_segment(watch->region, i);

		if (segment == NULL)
			continue;
		if (i > 0 && can_be_returned(watch, segment)) {
			own_process_modules_free(&watch->modules[i]);
			own_region_map_return(watch->region, i);
			continue;
		}
		if (own_load_relaxed(&segment->modules_stale) == 0)
			continue;
		/* Cleared first: what is loaded during the reading sets it again. */
		own_store_relaxed(&segment->modules_stale, 0);
		own_process_modules_read(&watch->modules[i], own_load_relaxed(&segment->pid));
	}
}

const char *own_watch_fate(void *context, const struct own_segment *segment)
{
	struct own_watch *watch = context;
	int pid = own_load_relaxed(&segment->pid);

	if (successor_of(watch, segment) != NULL)
		return "replaced by exec";
	if (pid == watch->child && watch->child_ended) {
		if (WIFSIGNALED(watch->child_status))
			snprintf(watch->fate, sizeof(watch->fate), "killed by signal %d (%s)",
				 WTERMSIG(watch->child_status),
				 strsignal(WTERMSIG(watch->child_status)));
		else
			snprintf(watch->fate, sizeof(watch->fate), "exited with status %d",
				 WEXITSTATUS(watch->child_status));
		return watch->fate;
	}
	if (own_load_acquire(&segment->state) == OWN_SEGMENT_EXITED)
		return "exited";
	if (own_load_relaxed(&segment->foreign) != 0)
		return "in a PID namespace of its own, end unknown";
	return is_alive(pid) ? "still running" : "ended without notice";
}

/* A process that had no time to note its end is given the latest that is known. */
static void close_segment(const struct own_watch *watch, struct own_segment *segment)
{
	const struct own_segment *later = successor_of(watch, segment);

	if (own_load_relaxed(&segment->end_ns) == 0 && later != NULL)
		own_store_relaxed(&segment->end_ns, own_load_relaxed(&later->start_ns));
}

int own_watch_report(struct own_watch *watch, int fd, enum own_report_format format, unsigned top)
{
	const struct own_segment *segments[OWN_REGION_SEGMENTS];
	size_t used = own_region_map_used(watch->region);
	size_t count = 0;
	struct own_report_options options = {
	    .format = format,
	    .top = top,
	    .symbolize = own_watch_symbolize,
	    .name_lock = own_watch_name_lock,
	    .fate = own_watch_fate,
	    .context = watch,
	    .returned = own_load_relaxed(&watch->region->header->segments_returned),
	    .refused = own_load_relaxed(&watch->region->header->segments_refused),
	};

	own_watch_tick(watch);
	for (size_t i = 0; i < used; i++) {
		struct own_segment *segment = own_region_map_segment(watch->region, i);

		if (segment == NULL)
			continue;
		close_segment(watch, segment);
		segments[count++] = segment;
	}
	return own_report_write_all(fd, segments, count, &options);
}

void own_watch_end(struct own_watch *watch)
{
	for (size_t i = 0; i < OWN_REGION_SEGMENTS; i++)
		own_process_modules_free(&watch->modules[i]);
	own_symbols_end();
}
