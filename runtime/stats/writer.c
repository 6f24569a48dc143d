#include "stats/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void own_writer_init(struct own_writer *writer, int fd)
{
	writer->fd = fd;
	writer->error = 0;
	writer->used = 0;
}

int own_writer_flush(struct own_writer *writer)
{
	size_t done = 0;
	int saved = errno;

	while (done < writer->used && writer->error == 0) {
		ssize_t got = write(writer->fd, writer->buffer + done, writer->used - done);

		if (got >= 0)
			done += (size_t)got;
		else if (errno != EINTR)
			writer->error = errno;
	}
	writer->used = 0;
	errno = saved;
	return writer->error;
}

void own_writer_put(struct own_writer *writer, const char *text, size_t length)
{
	while (length > 0 && writer->error == 0) {
		size_t room = sizeof(writer->buffer) - writer->used;
		size_t part = length < room ? length : room;

		memcpy(writer->buffer + writer->used, text, part);
		writer->used += part;
		text += part;
		length -= part;
		/* An error is kept in the writer; the last flush hands it out. */
		if (writer->used == sizeof(writer->buffer))
			(void)!own_writer_flush(writer);
	}
}

void own_writer_print(struct own_writer *writer, const char *format, ...)
{
	char text[sizeof(writer->buffer)];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length > 0)
		own_writer_put(writer, text,
			       (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

/* The length of the UTF-8 sequence at `text`, 0 if there is none. Reads up to the zero byte. */
static size_t utf8_length(const unsigned char *text)
{
	unsigned char first = text[0];
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	unsigned char low = 0x80;
	unsigned char high = 0xbf;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	/* Overlong forms, surrogates, and what lies past U+10FFFF show in the second byte. */
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	}
	return length;
}

void own_writer_clean(struct own_writer *writer, const char *text, size_t limit)
{
	const unsigned char *at = (const unsigned char *)text;

	for (size_t column = 0; *at != '\0' && column < limit; column++) {
		size_t length = utf8_length(at);

		/* U+0080 to U+009F are control characters too. */
		if (length == 0 || *at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0)) {
			own_writer_put(writer, "?", 1);
			at += length > 0 ? length : 1;
			continue;
		}
		own_writer_put(writer, (const char *)at, length);
		at += length;
	}
}

void own_writer_json(struct own_writer *writer, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (text == NULL) {
		own_writer_put(writer, "null", 4);
		return;
	}
	own_writer_put(writer, "\"", 1);
	while (*at != '\0') {
		size_t length = utf8_length(at);

		if (length == 0)
			own_writer_put(writer, "\\ufffd", 6);
		else if (*at == '"' || *at == '\\')
			own_writer_print(writer, "\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			own_writer_print(writer, "\\u%04x", (unsigned)*at);
		else
			own_writer_put(writer, (const char *)at, length);
		at += length > 0 ? length : 1;
	}
	own_writer_put(writer, "\"", 1);
}
