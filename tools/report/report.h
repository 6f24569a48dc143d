/* The parts of `ownline report`: what our tools have written as JSON, read back and put side by
 * side. */
#ifndef OWN_REPORT_REPORT_H
#define OWN_REPORT_REPORT_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OWN_DIFF_SCHEMA	 "ownline-diff"
#define OWN_DIFF_VERSION 1
#define OWN_DIFF_FILES	 64 /* most that are read at once */
#define OWN_LAB_SCHEMA	 "ownline-lab"
#define OWN_LAB_VERSION	 1

enum own_document_kind {
	OWN_DOCUMENT_RUN,     /* ownline run --report json */
	OWN_DOCUMENT_TRACE,   /* ownline trace --report json */
	OWN_DOCUMENT_COMPARE, /* ownline compare --report json */
	OWN_DOCUMENT_LAB,     /* measurements by kernel, in the generic form */
};

/* One figure of a document. */
struct own_measure {
	char *name;
	char *unit;    /* "": a number */
	char *variant; /* "": the document has none */
	double value;  /* the median if there were several */
};

struct own_document {
	const char *path;
	enum own_document_kind kind;
	char about[512]; /* host, kernel and what was measured, for people */
	struct own_measure *measures;
	size_t count;
	size_t room;
};

/*
 * Reads one document. Returns false with one line in `message`, without the path, that names the
 * fault and the remedy.
 */
bool own_document_read(struct own_document *document, FILE *stream, char *message, size_t size);
void own_document_free(struct own_document *document);
const char *own_document_kind_name(enum own_document_kind kind);
/* Adds a measure; false: out of memory. */
bool own_document_add(struct own_document *document, const char *name, const char *unit,
		      const char *variant, double value);

/* The documents side by side: a row for each measure that any of them has. */
struct own_row {
	const char *name;
	const char *unit;
	const char *variant;
	const struct own_measure *measures[OWN_DIFF_FILES]; /* NULL: that document lacks it */
};

struct own_table {
	const struct own_document *documents;
	size_t document_count;
	struct own_row *rows; /* those of one name together */
	size_t row_count;
};

/* False: out of memory. */
bool own_table_make(struct own_table *table, const struct own_document *documents, size_t count);
void own_table_free(struct own_table *table);
void own_table_write_text(FILE *stream, const struct own_table *table);
/* False: out of memory, or the stream takes no more. */
bool own_table_write_json(FILE *stream, const struct own_table *table);

#endif
