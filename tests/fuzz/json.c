#include "fuzz/json.h"

#include <string.h>

#define DEPTH 32 /* deeper than any report */

struct reader {
	const unsigned char *at;
	const unsigned char *end;
	int depth;
};

static bool value(struct reader *reader);

static bool next_is(struct reader *reader, unsigned char wanted)
{
	if (reader->at == reader->end || *reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && memchr(" \t\n\r", *reader->at, 4))
		reader->at++;
}

static bool word(struct reader *reader, const char *text)
{
	while (*text != '\0') {
		if (!next_is(reader, (unsigned char)*text++))
			return false;
	}
	return true;
}

static bool digits(struct reader *reader)
{
	const unsigned char *start = reader->at;

	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
		reader->at++;
	return reader->at > start;
}

/* Reports hold whole numbers alone. */
static bool number(struct reader *reader)
{
	next_is(reader, '-');
	if (next_is(reader, '0'))
		return true;
	return digits(reader);
}

static bool escape(struct reader *reader)
{
	if (reader->at == reader->end)
		return false;
	if (*reader->at != 'u')
		return memchr("\"\\/bfnrt", *reader->at++, 8) != NULL;
	reader->at++;
	for (int i = 0; i < 4; i++) {
		if (reader->at == reader->end || !memchr("0123456789abcdefABCDEF", *reader->at, 22))
			return false;
		reader->at++;
	}
	return true;
}

/* The bytes of one character past ASCII: their count by the first, then 10xxxxxx each. */
static bool utf8_tail(struct reader *reader, unsigned char first)
{
	int more = first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;

	if (more < 0 || reader->end - reader->at < more)
		return false;
	while (more-- > 0) {
		if ((*reader->at++ & 0xc0) != 0x80)
			return false;
	}
	return true;
}

static bool string(struct reader *reader)
{
	if (!next_is(reader, '"'))
		return false;
	while (reader->at < reader->end) {
		unsigned char byte = *reader->at++;

		if (byte == '"')
			return true;
		if (byte < ' ' || (byte == '\\' && !escape(reader)) ||
		    (byte >= 0x80 && !utf8_tail(reader, byte)))
			return false;
	}
	return false;
}

static bool members(struct reader *reader, unsigned char close)
{
	skip_space(reader);
	if (next_is(reader, close))
		return true;
	for (;;) {
		skip_space(reader);
		if (close == '}') {
			if (!string(reader))
				return false;
			skip_space(reader);
			if (!next_is(reader, ':'))
				return false;
		}
		if (!value(reader))
			return false;
		skip_space(reader);
		if (next_is(reader, close))
			return true;
		if (!next_is(reader, ','))
			return false;
	}
}

static bool value(struct reader *reader)
{
	bool valid;

	skip_space(reader);
	if (reader->at == reader->end || ++reader->depth > DEPTH)
		return false;
	switch (*reader->at) {
	case '{':
		reader->at++;
		valid = members(reader, '}');
		break;
	case '[':
		reader->at++;
		valid = members(reader, ']');
		break;
	case '"':
		valid = string(reader);
		break;
	case 'n':
		valid = word(reader, "null");
		break;
	default:
		valid = number(reader);
	}
	reader->depth--;
	return valid;
}

bool json_is_valid(const char *text, size_t length)
{
	struct reader reader = {(const unsigned char *)text, (const unsigned char *)text + length,
				0};

	if (!value(&reader))
		return false;
	skip_space(&reader);
	return reader.at == reader.end;
}
