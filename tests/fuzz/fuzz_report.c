/*
 * The report writer over a segment with anything in it: what a program that writes out of bounds
 *may leave behind must neither crash the reader nor reach the terminal, and JSON stays JSON.
 *
 * The input is a list of writes into a zeroed segment:
 *
 *	part (1 byte), element (1), offset in the element (2), length (1), then that many bytes
 *
 * A length of 255 takes one byte and fills the rest of the part with it.
 */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz/fuzz.h"
#include "fuzz/json.h"

#include "stats/report.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST (64u << 20) /* no report over two segments is longer */

struct part {
	size_t start;
	size_t bytes;
	size_t element;
};

#define PART(field, size)                                                                          \
	{                                                                                          \
		offsetof(struct own_segment, field), sizeof(((struct own_segment *)0)->field),     \
		    (size)                                                                         \
	}

static const struct part parts[] = {
    {0, offsetof(struct own_segment, command), 4},
    PART(command, 1),
    PART(shared, 8),
    PART(records, sizeof(struct own_lock_record)),
    PART(threads, sizeof(struct own_thread_slot)),
    PART(modules, sizeof(struct own_module)),
    PART(names, 64),
    {0, sizeof(struct own_segment), 1}, /* what lies between the others, too */
};

static struct own_segment *segment;

/* What the input has not named stays zero. */
static void fill_segment(const uint8_t *data, size_t size)
{
	memset(segment, 0, sizeof(*segment));
	while (size > 5) {
		const struct part *part = &parts[data[0] % (sizeof(parts) / sizeof(parts[0]))];
		size_t at = (data[1] * part->element + data[2] + data[3] * 256u) % part->bytes;
		char *to = (char *)segment + part->start + at;
		size_t room = part->bytes - at;
		size_t length = data[4];

		data += 5;
		size -= 5;
		if (length == 255) {
			memset(to, data[0], room);
			length = 1;
		} else {
			length = length < size ? length : size;
			memcpy(to, data, length < room ? length : room);
		}
		data += length;
		size -= length;
	}
}

static void check_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		FUZZ_CHECK((unsigned char)text[i] >= ' ' ? text[i] != 0x7f : text[i] == '\n');
}

static void write_one(int fd, size_t count, enum own_report_format format, unsigned top)
{
	const struct own_segment *const segments[2] = {segment, segment};
	const struct own_report_options options = {.format = format, .top = top};
	off_t length;
	char *text;

	FUZZ_CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	FUZZ_CHECK(own_report_write_all(fd, segments, count, &options) == 0);
	length = lseek(fd, 0, SEEK_CUR);
	FUZZ_CHECK(length > 0 && length < (off_t)MOST);
	text = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, fd, 0);
	FUZZ_CHECK(text != MAP_FAILED);
	if (format == OWN_REPORT_JSON)
		FUZZ_CHECK(json_is_valid(text, (size_t)length));
	else
		check_text(text, (size_t)length);
	munmap(text, (size_t)length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("report", MFD_CLOEXEC);
		FUZZ_CHECK(fd >= 0);
		/* From the heap, so that AddressSanitizer sees the first byte behind it. */
		segment = aligned_alloc(OWN_CACHELINE_PAIR, sizeof(*segment));
		FUZZ_CHECK(segment);
	}
	if (size == 0)
		return 0;
	fill_segment(data + 1, size - 1);
	write_one(fd, 1 + data[0] % 2, OWN_REPORT_JSON, 0);
	write_one(fd, 1 + data[0] % 2, OWN_REPORT_TEXT, data[0]);
	return 0;
}
