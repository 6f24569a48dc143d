/*
 * ownline report's reader and its table: any file is either refused in one line, or becomes a table
 * of printable text and one of JSON.
 */
#include "fuzz/fuzz.h"
#include "tools/report/report.h"

#include <jansson.h>

#include <string.h>

static void check_text(const char *text, size_t length, char line_end)
{
	for (size_t i = 0; i < length; i++)
		FUZZ_CHECK((unsigned char)text[i] >= ' ' ? text[i] != 0x7f : text[i] == line_end);
}

static void write_both(const struct own_table *table)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	json_t *root;

	FUZZ_CHECK(stream);
	own_table_write_text(stream, table);
	FUZZ_CHECK(fclose(stream) == 0 && length > 0);
	check_text(text, length, '\n');
	free(text);

	stream = open_memstream(&text, &length);
	FUZZ_CHECK(stream);
	FUZZ_CHECK(own_table_write_json(stream, table));
	FUZZ_CHECK(fclose(stream) == 0);
	root = json_loadb(text, length, 0, NULL);
	FUZZ_CHECK(root);
	json_decref(root);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct own_document documents[2];
	struct own_table table;
	char message[320] = "";
	FILE *stream;

	if (size == 0)
		return 0;
	memset(documents, 0, sizeof(documents));
	stream = fmemopen((void *)(uintptr_t)data, size, "r");
	FUZZ_CHECK(stream);
	documents[0].path = documents[1].path = "input";
	if (own_document_read(&documents[0], stream, message, sizeof(message))) {
		/* Beside one that has none of its figures but the last. */
		documents[1].kind = documents[0].kind;
		FUZZ_CHECK(own_document_add(&documents[1], "mismatched share", "%", "", 1));
		FUZZ_CHECK(own_table_make(&table, documents, 2));
		write_both(&table);
		own_table_free(&table);
	} else {
		FUZZ_CHECK(message[0] != '\0' && strlen(message) < sizeof(message));
	}
	fclose(stream);
	own_document_free(&documents[0]);
	own_document_free(&documents[1]);
	return 0;
}
