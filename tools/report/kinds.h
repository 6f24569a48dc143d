/* What each kind of document holds: from JSON to measures. */
#ifndef OWN_REPORT_KINDS_H
#define OWN_REPORT_KINDS_H

#include "tools/report/report.h"

#include <jansson.h>

#define OWN_READ_TRACE_SCHEMA 1 /* OWN_TRACE_SCHEMA of tools/trace/trace.h, built or not */

struct own_reader {
	struct own_document *document;
	char *message;
	size_t size;
};

/* Writes the message. Returns false. */
OWN_PRINTF(2, 3) bool own_fault(struct own_reader *reader, const char *format, ...);

/* Each returns false after own_fault. */
bool own_take_run(struct own_reader *reader, const json_t *root);
bool own_take_trace(struct own_reader *reader, const json_t *root);
bool own_take_compare(struct own_reader *reader, const json_t *root);
bool own_take_lab(struct own_reader *reader, const json_t *root);

#endif
