/* The command's own figure, by a regular expression of PCRE2 over its output. */
#include "tools/commands.h"
#include "tools/compare/compare.h"

#ifdef OWN_HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <math.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct own_metric {
	pcre2_code *code;
	pcre2_match_data *match;
};

struct own_metric *own_metric_open(const char *expression)
{
	struct own_metric *metric = calloc(1, sizeof(*metric));
	uint32_t groups = 0;
	PCRE2_UCHAR text[160];
	PCRE2_SIZE offset;
	int error;

	if (metric == NULL) {
		own_complain("compare: out of memory; end other programs");
		return NULL;
	}
	metric->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, PCRE2_MULTILINE,
				     &error, &offset, NULL);
	if (metric->code == NULL) {
		pcre2_get_error_message(error, text, sizeof(text));
		own_complain("compare: --metric %s: %s behind character %zu; correct it, see "
			     "pcre2pattern(3)",
			     expression, (const char *)text, offset);
		own_metric_close(metric);
		return NULL;
	}
	pcre2_pattern_info(metric->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	if (groups == 0) {
		own_complain("compare: --metric %s: nothing is in parentheses; put the number "
			     "there, as in 'total time: +([0-9.]+)'",
			     expression);
		own_metric_close(metric);
		return NULL;
	}
	metric->match = pcre2_match_data_create_from_pattern(metric->code, NULL);
	return metric;
}

static bool take_number(const char *start, size_t length, double *value, char *message, size_t size)
{
	char text[64];
	char *end;

	snprintf(text, sizeof(text), "%.*s", (int)(length < 63 ? length : 63), start);
	*value = strtod(text, &end);
	if (end != text && *end == '\0' && length < 63 && isfinite(*value))
		return true;
	snprintf(message, size, "--metric found \"%.40s\", which is no number; mend the group",
		 text);
	return false;
}

/* The last match counts: summaries come last. */
static bool search(const struct own_metric *metric, const char *text, size_t length, double *value,
		   char *message, size_t size)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(metric->match);
	PCRE2_SIZE start = 0;
	PCRE2_SIZE from = PCRE2_UNSET;
	PCRE2_SIZE to = 0;
	int found = PCRE2_ERROR_NOMATCH;

	while (start <= length) {
		found = pcre2_match(metric->code, (PCRE2_SPTR)text, length, start, 0, metric->match,
				    NULL);
		if (found < 0)
			break;
		if (found > 1 && at[2] != PCRE2_UNSET && at[3] >= at[2]) {
			from = at[2];
			to = at[3];
		}
		start = at[1] > start ? at[1] : start + 1;
	}
	if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
		PCRE2_UCHAR error[160];

		pcre2_get_error_message(found, error, sizeof(error));
		snprintf(message, size, "--metric: %s; make the expression simpler",
			 (const char *)error);
		return false;
	}
	if (from == PCRE2_UNSET) {
		snprintf(message, size,
			 "--metric matches nothing in the command's output; "
			 "correct the expression");
		return false;
	}
	return take_number(text + from, to - from, value, message, size);
}

bool own_metric_read(const struct own_metric *metric, int fd, double *value, char *message,
		     size_t size)
{
	struct stat file;
	char *text = NULL;
	bool found;

	if (fstat(fd, &file) != 0 || file.st_size == 0)
		return search(metric, "", 0, value, message, size);
	text = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED) {
		snprintf(message, size, "cannot read the command's output: %s", strerror(errno));
		return false;
	}
	found = search(metric, text, (size_t)file.st_size, value, message, size);
	munmap(text, (size_t)file.st_size);
	return found;
}

void own_metric_close(struct own_metric *metric)
{
	if (metric == NULL)
		return;
	pcre2_match_data_free(metric->match);
	pcre2_code_free(metric->code);
	free(metric);
}
#else
struct own_metric *own_metric_open(const char *expression)
{
	own_complain("compare: --metric %s: built without PCRE2; install libpcre2-dev and build "
		     "again",
		     expression);
	return NULL;
}

bool own_metric_read(const struct own_metric *metric, int fd, double *value, char *message,
		     size_t size)
{
	(void)metric;
	(void)fd;
	(void)value;
	(void)message;
	(void)size;
	return false;
}

void own_metric_close(struct own_metric *metric)
{
	(void)metric;
}
#endif
