/*
 * Reading one document. What is read may have been cut short or come from elsewhere: nothing is
 * believed of it but what jansson has parsed and the type that is then looked at.
 */
#include "tools/report/report.h"

#include "stats/report.h"
#include "tools/compare/compare.h"
#include "tools/report/kinds.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool own_fault(struct own_reader *reader, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->message, reader->size, format, arguments);
	va_end(arguments);
	return false;
}

const char *own_document_kind_name(enum own_document_kind kind)
{
	static const char *const names[] = {
	    [OWN_DOCUMENT_RUN] = "ownline run",
	    [OWN_DOCUMENT_TRACE] = "ownline trace",
	    [OWN_DOCUMENT_COMPARE] = "ownline compare",
	    [OWN_DOCUMENT_LAB] = "the kernel lab",
	};

	return names[kind];
}

static char *copy(const char *text)
{
	return strdup(text != NULL ? text : "");
}

bool own_document_add(struct own_document *document, const char *name, const char *unit,
		      const char *variant, double value)
{
	struct own_measure *measure;

	if (document->count == document->room) {
		size_t room = document->room > 0 ? 2 * document->room : 32;
		struct own_measure *measures =
		    realloc(document->measures, room * sizeof(*measures));

		if (measures == NULL)
			return false;
		document->measures = measures;
		document->room = room;
	}
	measure = &document->measures[document->count++];
	measure->name = copy(name);
	measure->unit = copy(unit);
	measure->variant = copy(variant);
	measure->value = value;
	return measure->name != NULL && measure->unit != NULL && measure->variant != NULL;
}

void own_document_free(struct own_document *document)
{
	for (size_t i = 0; i < document->count; i++) {
		free(document->measures[i].name);
		free(document->measures[i].unit);
		free(document->measures[i].variant);
	}
	free(document->measures);
	document->measures = NULL;
	document->count = document->room = 0;
}

static const struct {
	const char *schema;
	enum own_document_kind kind;
	int version;
} named_schemas[] = {
    {OWN_COMPARE_SCHEMA, OWN_DOCUMENT_COMPARE, OWN_COMPARE_VERSION},
    {OWN_LAB_SCHEMA, OWN_DOCUMENT_LAB, OWN_LAB_VERSION},
};

static bool check_version(struct own_reader *reader, const json_t *version, int known)
{
	if (!json_is_integer(version))
		return own_fault(reader, "its version is no number; make the report again");
	if (json_integer_value(version) == known)
		return true;
	return own_fault(
	    reader,
	    "it is written in version %lld of its form, and this ownline reads version "
	    "%d; use the ownline that wrote it",
	    (long long)json_integer_value(version), known);
}

static bool find_named_kind(struct own_reader *reader, const json_t *root, const char *schema)
{
	for (size_t i = 0; i < own_array_size(named_schemas); i++) {
		if (strcmp(schema, named_schemas[i].schema) != 0)
			continue;
		reader->document->kind = named_schemas[i].kind;
		return check_version(reader, json_object_get(root, "version"),
				     named_schemas[i].version);
	}
	return own_fault(reader,
			 "reports of the form \"%.40s\" are not read here; give those of "
			 "ownline run, trace, compare or the kernel lab",
			 schema);
}

/* The reports of run and trace have a number for their schema. */
static bool find_kind(struct own_reader *reader, const json_t *root)
{
	const json_t *schema = json_object_get(root, "schema");
	const char *tool = json_string_value(json_object_get(root, "tool"));

	if (json_is_string(schema))
		return find_named_kind(reader, root, json_string_value(schema));
	if (tool != NULL && strcmp(tool, "ownline trace") == 0)
		reader->document->kind = OWN_DOCUMENT_TRACE;
	else if (tool == NULL && json_is_object(json_object_get(root, "totals")))
		reader->document->kind = OWN_DOCUMENT_RUN;
	else
		return own_fault(reader, "it is JSON, but no report of ownline's; give what "
					 "--report json has written");
	return check_version(reader, schema,
			     tool != NULL ? OWN_READ_TRACE_SCHEMA : OWN_REPORT_SCHEMA);
}

static bool take_root(struct own_reader *reader, const json_t *root)
{
	if (!find_kind(reader, root))
		return false;
	switch (reader->document->kind) {
	case OWN_DOCUMENT_RUN:
		return own_take_run(reader, root);
	case OWN_DOCUMENT_TRACE:
		return own_take_trace(reader, root);
	case OWN_DOCUMENT_COMPARE:
		return own_take_compare(reader, root);
	case OWN_DOCUMENT_LAB:
		return own_take_lab(reader, root);
	}
	return false;
}

static bool rest_is_blank(FILE *stream)
{
	int c = getc(stream);

	while (c == ' ' || c == '\t' || c == '\n' || c == '\r')
		c = getc(stream);
	if (c != EOF)
		ungetc(c, stream);
	return c == EOF;
}

/* `trace --interval` writes several documents, a line each: the last one counts. */
static json_t *load_last(struct own_reader *reader, FILE *stream)
{
	json_t *root = NULL;
	json_error_t error;

	do {
		json_decref(root);
		root = json_loadf(stream, JSON_DISABLE_EOF_CHECK, &error);
	} while (root != NULL && !rest_is_blank(stream));
	if (root == NULL && ferror(stream))
		own_fault(reader, "it cannot be read; give a file");
	else if (root == NULL)
		own_fault(reader,
			  "it is no whole JSON: line %d: %.100s; was what wrote it cut "
			  "short?",
			  error.line, error.text);
	return root;
}

bool own_document_read(struct own_document *document, FILE *stream, char *message, size_t size)
{
	struct own_reader reader = {.document = document, .message = message, .size = size};
	json_t *root = load_last(&reader, stream);
	bool taken = root != NULL && take_root(&reader, root);

	json_decref(root);
	return taken;
}
