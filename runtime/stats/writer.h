/*
 * Buffered output to a descriptor without stdio streams or memory from the heap. The first error is
 * kept, and everything after it is dropped.
 */
#ifndef OWN_STATS_WRITER_H
#define OWN_STATS_WRITER_H

#include "base/compiler.h"

#include <stddef.h>
#include <stdint.h>

struct own_writer {
	int fd;
	int error; /* positive errno of the first failed write */
	size_t used;
	char buffer[1024];
};

void own_writer_init(struct own_writer *writer, int fd);

/* One call adds at most the size of the buffer; no floating point in `format`: that may allocate.
 */
OWN_PRINTF(2, 3) void own_writer_print(struct own_writer *writer, const char *format, ...);

void own_writer_put(struct own_writer *writer, const char *text, size_t length);

/* At most `limit` columns of text from outside, with '?' for what a terminal would act on. */
void own_writer_clean(struct own_writer *writer, const char *text, size_t limit);

/* A JSON string with its quotes; NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
void own_writer_json(struct own_writer *writer, const char *text);

/* Returns 0 or the positive errno of the first failure. */
OWN_MUST_CHECK int own_writer_flush(struct own_writer *writer);

#endif
