/* The option parser: the input is a list of options, as in OWNLINE_OPTIONS. */
#include "fuzz/fuzz.h"

#include "config/options.h"

#include <string.h>

static int complaints;

static void check_message(const char *message, size_t size)
{
	size_t length = strnlen(message, size);

	FUZZ_CHECK(length > 0 && length < size);
	for (size_t i = 0; i < length; i++)
		FUZZ_CHECK(message[i] >= ' ' && message[i] <= '~'); /* one line, for terminals */
}

static void complain(const char *message)
{
	complaints++;
	check_message(message, 4096);
}

static void check_values(void)
{
	for (int i = 0; i < OWN_OPTION_COUNT; i++) {
		const struct own_option_info *info = own_option_info((enum own_option)i);

		if (info->kind == OWN_OPTION_TEXT) {
			FUZZ_CHECK(strnlen(own_option_text((enum own_option)i),
					   OWN_OPTION_TEXT_SIZE) < OWN_OPTION_TEXT_SIZE);
			continue;
		}
		FUZZ_CHECK(own_option((enum own_option)i) >= info->minimum);
		FUZZ_CHECK(own_option((enum own_option)i) <= info->maximum);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t sizes[] = {256, 64, 16, 2};
	char *list = malloc(size + 1);
	int faults;

	FUZZ_CHECK(list);
	if (size > 0)
		memcpy(list, data, size);
	list[size] = '\0';
	complaints = 0;
	faults = own_options_parse(list, complain);
	FUZZ_CHECK(faults == complaints);
	check_values();

	/* Byte for byte: no zero byte behind the text, and zero bytes and colons inside. */
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *message = malloc(sizes[i]);

		FUZZ_CHECK(message);
		if (size > 0 && own_option_set((const char *)data, size, message, sizes[i]) != 0)
			check_message(message, sizes[i]);
		free(message);
	}
	check_values();
	free(list);
	return 0;
}
