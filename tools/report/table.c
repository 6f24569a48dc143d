/* Documents of one kind side by side. */
#include "tools/report/report.h"

#include "tools/statistics.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct own_row *find(struct own_table *table, const struct own_measure *measure)
{
	for (size_t i = 0; i < table->row_count; i++) {
		struct own_row *row = &table->rows[i];

		if (strcmp(row->name, measure->name) == 0 &&
		    strcmp(row->unit, measure->unit) == 0 &&
		    strcmp(row->variant, measure->variant) == 0)
			return row;
	}
	return NULL;
}

/* Behind the last row of that name, so that its variants stay together. */
static struct own_row *insert(struct own_table *table, const struct own_measure *measure)
{
	size_t at = table->row_count;

	while (at > 0 && strcmp(table->rows[at - 1].name, measure->name) != 0)
		at--;
	if (at == 0)
		at = table->row_count;
	memmove(&table->rows[at + 1], &table->rows[at],
		(table->row_count - at) * sizeof(table->rows[0]));
	table->row_count++;
	memset(&table->rows[at], 0, sizeof(table->rows[at]));
	table->rows[at].name = measure->name;
	table->rows[at].unit = measure->unit;
	table->rows[at].variant = measure->variant;
	return &table->rows[at];
}

bool own_table_make(struct own_table *table, const struct own_document *documents, size_t count)
{
	size_t room = 1;

	table->row_count = 0;
	for (size_t i = 0; i < count; i++)
		room += documents[i].count;
	table->documents = documents;
	table->document_count = count;
	table->rows = calloc(room, sizeof(table->rows[0]));
	if (table->rows == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		for (size_t m = 0; m < documents[i].count; m++) {
			const struct own_measure *measure = &documents[i].measures[m];
			struct own_row *row = find(table, measure);

			if (row == NULL)
				row = insert(table, measure);
			row->measures[i] = measure;
		}
	}
	return true;
}

void own_table_free(struct own_table *table)
{
	free(table->rows);
	table->rows = NULL;
}

static void put_clean(FILE *stream, const char *text)
{
	for (; *text != '\0'; text++)
		putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stream);
}

/* Documents are called A, B, ... Z, A1, B1, ... */
static void label(size_t index, char *text, size_t size)
{
	if (index < 26)
		snprintf(text, size, "%c", (char)('A' + index));
	else
		snprintf(text, size, "%c%u", (char)('A' + index % 26),
			 (unsigned)(index / 26) % 100);
}

/*
 * A ratio says most, but of a share the difference does, in points; and nothing has a ratio to
 * nought.
 */
static void change(const struct own_row *row, size_t index, char *text, size_t size)
{
	const struct own_measure *base = row->measures[0];
	const struct own_measure *other = row->measures[index];
	char number[32];

	text[0] = '\0';
	if (base == NULL || other == NULL)
		return;
	if (strcmp(row->unit, "%") == 0) {
		snprintf(text, size, "%+.2f", other->value - base->value);
	} else if (base->value != 0) {
		own_format_number(other->value / base->value, number, sizeof(number));
		snprintf(text, size, "x %s", number);
	} else if (other->value == 0) {
		snprintf(text, size, "same");
	} else {
		own_format_number(other->value, number, sizeof(number));
		snprintf(text, size, "%s%s", other->value > 0 ? "+" : "", number);
	}
}

struct widths {
	int name;
	int variant;
	int unit;
};

static int wider(int width, const char *text)
{
	size_t length = strlen(text);

	return length < 60 && (int)length > width ? (int)length : width;
}

static struct widths measure_widths(const struct own_table *table)
{
	struct widths widths = {(int)strlen("figure"), 0, 0};

	for (size_t i = 0; i < table->row_count; i++) {
		widths.name = wider(widths.name, table->rows[i].name);
		widths.unit = wider(widths.unit, table->rows[i].unit);
		widths.variant = wider(widths.variant, table->rows[i].variant);
	}
	/* Only where there are variants at all. */
	if (widths.variant > 0)
		widths.variant = wider(widths.variant, "variant");
	return widths;
}

static void put_cell(FILE *stream, const char *text, int width)
{
	int length = (int)strlen(text);

	put_clean(stream, text);
	fprintf(stream, "%*s", length < width ? width - length : 0, "");
}

static void put_header(FILE *stream, const struct own_table *table, const struct widths *widths)
{
	char name[16];
	char pair[40];

	for (size_t i = 0; i < table->document_count; i++) {
		label(i, name, sizeof(name));
		fprintf(stream, "  %s: ", name);
		put_clean(stream, table->documents[i].path);
		fputs(table->documents[i].about[0] != '\0' ? ": " : "", stream);
		put_clean(stream, table->documents[i].about);
		putc('\n', stream);
	}
	fprintf(stream, "\n%-*s ", widths->name, "figure");
	if (widths->variant > 0)
		fprintf(stream, "%-*s ", widths->variant, "variant");
	fprintf(stream, "%-*s", widths->unit, "");
	for (size_t i = 0; i < table->document_count; i++) {
		label(i, name, sizeof(name));
		fprintf(stream, " %12s", name);
		snprintf(pair, sizeof(pair), "%s to A", name);
		if (i > 0)
			fprintf(stream, " %10s", pair);
	}
	putc('\n', stream);
}

static void put_row(FILE *stream, const struct own_table *table, const struct own_row *row,
		    const struct widths *widths)
{
	put_cell(stream, row->name, widths->name + 1);
	if (widths->variant > 0)
		put_cell(stream, row->variant, widths->variant + 1);
	put_cell(stream, row->unit, widths->unit);
	for (size_t i = 0; i < table->document_count; i++) {
		char text[64] = "-";

		if (row->measures[i] != NULL)
			own_format_number(row->measures[i]->value, text, sizeof(text));
		fprintf(stream, " %12s", text);
		if (i > 0)
			change(row, i, text, sizeof(text));
		/* No blanks at the end of a line. */
		if (i > 0 && (text[0] != '\0' || i + 1 < table->document_count))
			fprintf(stream, " %10s", text);
	}
	putc('\n', stream);
}

void own_table_write_text(FILE *stream, const struct own_table *table)
{
	struct widths widths = measure_widths(table);

	fprintf(stream, "%zu report%s of %s\n", table->document_count,
		table->document_count == 1 ? "" : "s",
		own_document_kind_name(table->documents[0].kind));
	put_header(stream, table, &widths);
	for (size_t i = 0; i < table->row_count; i++)
		put_row(stream, table, &table->rows[i], &widths);
}

static json_t *number_or_null(const struct own_measure *measure)
{
	return measure != NULL && isfinite(measure->value) ? json_real(measure->value)
							   : json_null();
}

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_object(const struct own_table *table, const struct own_row *row)
{
	json_t *values = json_array();
	json_t *ratios = json_array();
	json_t *differences = json_array();
	const struct own_measure *base = row->measures[0];

	for (size_t i = 0; i < table->document_count; i++) {
		const struct own_measure *other = row->measures[i];
		bool both = base != NULL && other != NULL;

		json_array_append_new(values, number_or_null(other));
		json_array_append_new(ratios, both && base->value != 0
						  ? real_or_null(other->value / base->value)
						  : json_null());
		json_array_append_new(differences, both ? real_or_null(other->value - base->value)
							: json_null());
	}
	return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o}", "name", row->name, "unit", row->unit,
			 "variant", row->variant, "values", values, "ratios", ratios, "differences",
			 differences);
}

bool own_table_write_json(FILE *stream, const struct own_table *table)
{
	json_t *files = json_array();
	json_t *rows = json_array();
	json_t *root;
	bool written;

	for (size_t i = 0; i < table->document_count; i++) {
		const struct own_document *document = &table->documents[i];
		json_t *path = json_string(document->path);
		json_t *about = json_string(document->about);

		/* Cut in the middle of a character, or never UTF-8. */
		json_array_append_new(files, json_pack("{s:o,s:o}", "path",
						       path != NULL ? path : json_null(), "about",
						       about != NULL ? about : json_null()));
	}
	for (size_t i = 0; i < table->row_count; i++)
		json_array_append_new(rows, row_object(table, &table->rows[i]));
	root = json_pack("{s:s,s:i,s:s,s:o,s:o}", "schema", OWN_DIFF_SCHEMA, "version",
			 OWN_DIFF_VERSION, "kind", own_document_kind_name(table->documents[0].kind),
			 "files", files, "rows", rows);
	written = root != NULL && json_dumpf(root, stream, JSON_INDENT(1)) == 0;
	if (written)
		putc('\n', stream);
	json_decref(root);
	return written;
}
