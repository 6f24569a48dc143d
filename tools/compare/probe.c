/* What a variant's command starts with, and whether the program has taken the library. */
#include "config/options.h"
#include "stats/counters.h"
#include "stats/region.h"
#include "tools/compare/compare.h"
#include "tools/compare/hash_size.h"
#include "tools/launch.h"
#include "tools/region_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begin_status(struct own_probe *probe)
{
	const char *folder = getenv("TMPDIR");

	if (folder == NULL || folder[0] == '\0' ||
	    (size_t)snprintf(probe->status, sizeof(probe->status), "%s/ownline-hash.XXXXXX",
			     folder) >= sizeof(probe->status))
		snprintf(probe->status, sizeof(probe->status), "/tmp/ownline-hash.XXXXXX");
	probe->status_fd = mkostemp(probe->status, O_CLOEXEC);
	return probe->status_fd < 0 ? errno : 0;
}

static int begin_region(struct own_probe *probe)
{
	int error;

	probe->region = calloc(1, sizeof(*probe->region));
	if (probe->region == NULL)
		return ENOMEM;
	error = own_region_map_create(probe->region);
	if (error != 0) {
		free(probe->region);
		probe->region = NULL;
		return error;
	}
	own_region_map_describe(probe->region, probe->region_text, sizeof(probe->region_text));
	return 0;
}

int own_probe_begin(struct own_probe *probe, const struct own_variant *variant)
{
	memset(probe, 0, sizeof(*probe));
	probe->status_fd = -1;
	if (variant->kind == OWN_VARIANT_HASH)
		return begin_status(probe);
	return variant->kind == OWN_VARIANT_OWNLINE ? begin_region(probe) : 0;
}

static void judge_status(const struct own_probe *probe, struct own_variant *variant)
{
	char line[64];
	ssize_t length = pread(probe->status_fd, line, sizeof(line) - 1, 0);
	int error = 0;
	int got = 0;

	line[length > 0 ? length : 0] = '\0';
	if (sscanf(line, "%d %d", &error, &got) != 2) /* NOLINT(cert-err34-c) */
		snprintf(variant->reason, sizeof(variant->reason),
			 "the program did not load the library: it is static, set-user-ID, or not "
			 "for this machine");
	else if (error != 0 || got != variant->slots)
		snprintf(variant->reason, sizeof(variant->reason), "the kernel gave %d slots (%s)",
			 got > 0 ? got : 0, error != 0 ? strerror(error) : "no error");
	else
		variant->verified = true;
}

void own_probe_judge(const struct own_probe *probe, struct own_variant *variant)
{
	if (variant->verified)
		return;
	if (variant->kind == OWN_VARIANT_HASH)
		judge_status(probe, variant);
	else if (own_region_map_used(probe->region) > 0)
		variant->verified = true;
	else
		snprintf(variant->reason, sizeof(variant->reason),
			 "the program did not load the library: it is static, set-user-ID, or not "
			 "for this machine");
}

void own_probe_count(const struct own_probe *probe, struct own_compare_counts *counts)
{
	size_t used = own_region_map_used(probe->region);

	counts->own_counted = true;
	counts->own_lost = own_load_relaxed(&probe->region->header->segments_refused);
	for (size_t i = 0; i < used; i++) {
		const struct own_segment *segment = own_region_map_segment(probe->region, i);
		static struct own_counters sum; /* of some kilobytes */

		if (segment == NULL)
			continue;
		own_counters_sum(segment, &sum);
		for (int outcome = 0; outcome < OWN_WAIT_OUTCOMES; outcome++)
			counts->own_waits += own_load_relaxed(&sum.waits[outcome].count);
		counts->own_mismatched += own_load_relaxed(&sum.waits[OWN_WAIT_MISMATCH].count);
	}
}

void own_probe_end(struct own_probe *probe)
{
	if (probe->region != NULL) {
		own_region_map_destroy(probe->region);
		free(probe->region);
	}
	if (probe->status_fd >= 0) {
		close(probe->status_fd);
		unlink(probe->status);
	}
}

static bool enter_region(const struct own_probe *probe)
{
	int fd = probe->region->fd;
	int flags = fcntl(fd, F_GETFD);

	return flags >= 0 && fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) == 0 &&
	       setenv(OWN_REGION_ENVIRONMENT, probe->region_text, 1) == 0;
}

static bool enter_hash(const struct own_variant *variant, const struct own_probe *probe)
{
	char slots[32];

	snprintf(slots, sizeof(slots), "%ld", variant->slots);
	if (setenv(OWN_HASH_SLOTS_ENVIRONMENT, slots, 1) != 0)
		return false;
	return probe == NULL || setenv(OWN_HASH_STATUS_ENVIRONMENT, probe->status, 1) == 0;
}

bool own_variant_enter(const struct own_variant *variant, const struct own_probe *probe)
{
	unsetenv(OWN_REGION_ENVIRONMENT);
	unsetenv(OWN_HASH_STATUS_ENVIRONMENT);
	if (variant->kind == OWN_VARIANT_AS_IS)
		return true;
	if (!own_launch_preload(variant->library))
		return false;
	if (variant->kind == OWN_VARIANT_HASH)
		return enter_hash(variant, probe);
	return setenv(OWN_OPTIONS_ENVIRONMENT, variant->options, 1) == 0 &&
	       (probe == NULL || enter_region(probe));
}
