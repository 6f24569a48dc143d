#include "sys/cpu.h"

#include <fcntl.h>
#include <string.h>

#include "sys/call.h"

static long read_file(const char *path, char *text, size_t size)
{
	long file = own_syscall6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long length;

	if (file < 0)
		return file;
	length = own_syscall3(SYS_read, file, (long)text, (long)size - 1);
	(void)own_syscall3(SYS_close, file, 0, 0);
	text[length > 0 ? length : 0] = '\0';
	return length;
}

static long parse_number(const char **text)
{
	long value = 0;

	while (**text == ' ')
		(*text)++;
	if (**text < '0' || **text > '9')
		return -1; /* "max", or "-1" of version 1 */
	while (**text >= '0' && **text <= '9')
		value = value * 10 + (*(*text)++ - '0');
	return value;
}

static bool below_two(long quota, long period)
{
	return quota > 0 && period > 0 && quota < 2 * period;
}

/* Appends at most what fits; false when it does not. */
static bool append(char *path, size_t size, const char *text, size_t length)
{
	size_t used = strlen(path);

	if (used + length + 1 > size)
		return false;
	memcpy(path + used, text, length);
	path[used + length] = '\0';
	return true;
}

static bool quota_v2(const char *group, size_t length)
{
	static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char text[64];

	for (size_t i = 0; i < own_array_size(roots); i++) {
		char path[512] = "";
		const char *at = text;
		long quota;

		if (!append(path, sizeof(path), roots[i], strlen(roots[i])) ||
		    !append(path, sizeof(path), group, length) ||
		    !append(path, sizeof(path), "/cpu.max", 8))
			continue;
		if (read_file(path, text, sizeof(text)) <= 0)
			continue;
		quota = parse_number(&at);
		if (quota >= 0 && below_two(quota, parse_number(&at)))
			return true;
	}
	return false;
}

static bool quota_v1(const char *group, size_t length)
{
	static const char root[] = "/sys/fs/cgroup/cpu";
	char path[512] = "";
	char text[64];
	const char *at = text;
	size_t base;
	long quota;

	if (!append(path, sizeof(path), root, sizeof(root) - 1) ||
	    !append(path, sizeof(path), group, length))
		return false;
	base = strlen(path);
	if (!append(path, sizeof(path), "/cpu.cfs_quota_us", 17) ||
	    read_file(path, text, sizeof(text)) <= 0)
		return false;
	quota = parse_number(&at);
	path[base] = '\0';
	if (!append(path, sizeof(path), "/cpu.cfs_period_us", 18) ||
	    read_file(path, text, sizeof(text)) <= 0)
		return false;
	at = text;
	return below_two(quota, parse_number(&at));
}

/* True if `list`, as in "cpu,cpuacct", has the controller cpu. */
static bool names_cpu(const char *list, size_t length)
{
	for (size_t i = 0; i + 3 <= length; i++) {
		if (memcmp(list + i, "cpu", 3) == 0 && (i == 0 || list[i - 1] == ',') &&
		    (i + 3 == length || list[i + 3] == ','))
			return true;
	}
	return false;
}

bool own_cpu_quota_below_two(void)
{
	char text[2048];
	const char *line = text;

	if (read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return false;
	while (*line) {
		const char *end = strchr(line, '\n');
		const char *list = strchr(line, ':');
		const char *group = list ? strchr(list + 1, ':') : NULL;

		if (!end || !group || group > end)
			return false;
		if (group == list + 1) {
			if (quota_v2(group + 1, (size_t)(end - group - 1)))
				return true;
		} else if (names_cpu(list + 1, (size_t)(group - list - 1))) {
			if (quota_v1(group + 1, (size_t)(end - group - 1)))
				return true;
		}
		line = end + 1;
	}
	return false;
}
