#include "core/start.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "config/options.h"
#include "core/fork.h"
#include "core/hash_option.h"
#include "core/spin.h"
#include "core/thread_life.h"
#include "stats/counters.h"
#include "stats/report.h"
#include "sys/clock.h"

void own_start_anchor(void)
{
}

/* Copies the output path with every %p replaced by the process id. False: it does not fit. */
static bool expand_path(char *path, size_t size, const char *pattern)
{
	size_t used = 0;

	for (const char *from = pattern; *from; from++) {
		char digits[16];
		size_t length = 1;
		const char *part = from;

		if (from[0] == '%' && from[1] == 'p') {
			long pid = (long)getpid();

			length = 0;
			do
				digits[sizeof(digits) - ++length] = (char)('0' + pid % 10);
			while (pid /= 10);
			part = digits + sizeof(digits) - length;
			from++;
		}
		if (used + length >= size)
			return false;
		memcpy(path + used, part, length);
		used += length;
	}
	path[used] = '\0';
	return used > 0;
}

static void complain(const char *what, const char *path)
{
	char line[768] = "";
	size_t length = strlen(what);

	memcpy(line, what, length);
	if (strlen(path) + length + 2 < sizeof(line)) {
		memcpy(line + length, path, strlen(path));
		length += strlen(path);
	}
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, length) < 0)
		return; /* standard error is gone: nobody to tell */
}

static void write_report(void)
{
	struct own_report_options options = {
	    .format = (enum own_report_format)own_option(OWN_OPTION_report),
	    .top = (unsigned)own_option(OWN_OPTION_top),
	};
	const char *pattern = own_option_text(OWN_OPTION_output);
	int file = STDERR_FILENO;
	char path[640];

	if (*pattern) {
		if (!expand_path(path, sizeof(path), pattern)) {
			complain("ownline: no report: shorten the path of option output: ",
				 pattern);
			return;
		}
		file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (file < 0) {
			complain("ownline: no report: give option output a file that can be "
				 "written, not ",
				 path);
			return;
		}
	}
	if (own_report_write(file, own_stats_segment(), &options) != 0 && *pattern)
		complain("ownline: the report is incomplete; make room on the disk of ", path);
	if (*pattern)
		(void)close(file);
}

OWN_CONSTRUCTOR static void start(void)
{
	int saved = errno;

	own_options_load();
	own_hash_option_apply(); /* before there are threads: then it is cheap */
	own_clock_calibrate();
	own_spin_start();
	own_fork_start();
	own_thread_life_start();
	own_stats_start();
	errno = saved;
}

OWN_DESTRUCTOR static void stop(void)
{
	own_fork_check();
	own_stats_scan_modules();
	own_stats_stop();
	if (own_option(OWN_OPTION_report) != OWN_REPORT_NONE)
		write_report();
}
