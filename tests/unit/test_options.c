/* The option table and its parser. */
#include "config/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char message[256];

static int set(const char *text)
{
	memset(message, 0, sizeof(message));
	return own_option_set(text, strlen(text), message, sizeof(message));
}

static int restore_defaults(void **state)
{
	(void)state;
	for (int i = 0; i < OWN_OPTION_COUNT; i++)
		own_option_values[i] = own_option_info((enum own_option)i)->value;
	return set("output=");
}

static void every_default_is_in_range(void **state)
{
	(void)state;
	for (int i = 0; i < OWN_OPTION_COUNT; i++) {
		const struct own_option_info *info = own_option_info((enum own_option)i);

		assert_int_equal(own_option((enum own_option)i), info->value);
		assert_true(info->value >= info->minimum && info->value <= info->maximum);
		assert_true(strlen(info->help) > 10);
		if (info->kind != OWN_OPTION_CHOICE)
			continue;
		for (long value = info->minimum; value <= info->maximum; value++)
			assert_non_null(own_option_choice((enum own_option)i, value));
		assert_null(own_option_choice((enum own_option)i, info->maximum + 1));
		assert_null(own_option_choice((enum own_option)i, -1));
	}
	assert_string_equal(own_option_text(OWN_OPTION_output), "");
}

static void numbers_are_taken_within_their_range(void **state)
{
	(void)state;
	assert_int_equal(set("top=0"), 0);
	assert_int_equal(own_option(OWN_OPTION_top), 0);
	assert_int_equal(set("top=1024"), 0);
	assert_int_equal(own_option(OWN_OPTION_top), 1024);
	assert_int_equal(set("top=007"), 0);
	assert_int_equal(own_option(OWN_OPTION_top), 7);
}

static void wrong_numbers_change_nothing_and_name_the_range(void **state)
{
	static const char *const wrong[] = {
	    "top=",
	    "top=1025",
	    "top=-1",
	    "top=+1",
	    "top= 1",
	    "top=1 ",
	    "top=0x10",
	    "top=1e3",
	    "top=ten",
	    "top=-",
	    "top=1.5",
	    "top=99999999999999999999999999999999",
	    "top=--1",
	    "top=-99999999999999999999999999999999",
	    "top=18446744073709551626", /* 10, if 64 bits were all that is looked at */
	};

	(void)state;
	assert_int_equal(set("top=5"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(set(wrong[i]), EINVAL);
		assert_int_equal(own_option(OWN_OPTION_top), 5);
		assert_non_null(strstr(message, "option top="));
		assert_non_null(strstr(message, "from 0 to 1024"));
	}
}

static void choices_are_taken_by_their_words(void **state)
{
	(void)state;
	assert_int_equal(set("report=json"), 0);
	assert_int_equal(own_option(OWN_OPTION_report), 2);
	assert_int_equal(set("report=none"), 0);
	assert_int_equal(own_option(OWN_OPTION_report), 0);
	assert_int_equal(set("report=text"), 0);
	assert_int_equal(set("report=JSON"), EINVAL);
	assert_non_null(strstr(message, "none, text, json"));
	assert_int_equal(set("report=tex"), EINVAL);
	assert_int_equal(set("report=texts"), EINVAL);
	assert_int_equal(set("report=1"), EINVAL);
	assert_int_equal(own_option(OWN_OPTION_report), 1);
}

static void slots_are_keep_global_or_a_power_of_two(void **state)
{
	/* The kernel takes 32 bits of the number: 2^32 would mean 0, the global table for good. */
	static const char *const wrong[] = {
	    "futex_hash=",	     "futex_hash=0",
	    "futex_hash=1",	     "futex_hash=3",
	    "futex_hash=24",	     "futex_hash=-16",
	    "futex_hash=33554432",   "futex_hash=2147483648",
	    "futex_hash=4294967296", "futex_hash=4294967312",
	    "futex_hash=16 ",	     "futex_hash=0x10",
	    "futex_hash=Keep",	     "futex_hash=globa",
	    "futex_hash=globals",    "futex_hash=18446744073709551632",
	};

	(void)state;
	assert_int_equal(own_option(OWN_OPTION_futex_hash), OWN_SLOTS_KEEP);
	for (long slots = 2; slots <= 1 << 24; slots *= 2) {
		char text[64];

		snprintf(text, sizeof(text), "futex_hash=%ld", slots);
		assert_int_equal(set(text), 0);
		assert_int_equal(own_option(OWN_OPTION_futex_hash), slots);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(set(wrong[i]), EINVAL);
		assert_int_equal(own_option(OWN_OPTION_futex_hash), 1 << 24);
		assert_non_null(strstr(message, "keep, global, or a power of two from 2"));
	}
	assert_int_equal(set("futex-hash=global"), 0);
	assert_int_equal(own_option(OWN_OPTION_futex_hash), OWN_SLOTS_GLOBAL);
	assert_int_equal(set("futex_hash=keep"), 0);
	assert_int_equal(own_option(OWN_OPTION_futex_hash), OWN_SLOTS_KEEP);
}

static void texts_are_taken_up_to_their_size(void **state)
{
	char text[OWN_OPTION_TEXT_SIZE + 16] = "output=";
	size_t start = strlen(text);

	(void)state;
	assert_int_equal(set("output=/tmp/a=b%p"), 0);
	assert_string_equal(own_option_text(OWN_OPTION_output), "/tmp/a=b%p");
	memset(text + start, 'x', OWN_OPTION_TEXT_SIZE - 1);
	assert_int_equal(own_option_set(text, start + OWN_OPTION_TEXT_SIZE, message, 256), EINVAL);
	assert_non_null(strstr(message, "limit is 511"));
	assert_string_equal(own_option_text(OWN_OPTION_output), "/tmp/a=b%p");
	assert_int_equal(own_option_set(text, start + OWN_OPTION_TEXT_SIZE - 1, message, 256), 0);
	assert_int_equal(strlen(own_option_text(OWN_OPTION_output)), OWN_OPTION_TEXT_SIZE - 1);
	assert_int_equal(own_option_set("output=a\0b", 10, message, 256), EINVAL);
}

static void unknown_options_are_faults(void **state)
{
	static const char *const wrong[] = {"",	     "=",      "=1",	  "spinn=1",
					    "spi=1", "Spin=1", " spin=1", "spin =1"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(set(wrong[i]), EINVAL);
		assert_true(strlen(message) > 10);
	}
	assert_int_equal(set("top"), EINVAL);
	assert_non_null(strstr(message, "KEY=VALUE"));
}

static void keys_may_be_written_with_dashes(void **state)
{
	(void)state;
	assert_int_equal(set("spin-lock-ns=77"), 0);
	assert_int_equal(own_option(OWN_OPTION_spin_lock_ns), 77);
}

static void messages_are_one_clean_line_that_fits(void **state)
{
	char small[20];
	char long_text[2000];

	(void)state;
	assert_int_equal(set("a\nb\033[1m\x9f=1"), EINVAL);
	for (const char *at = message; *at != '\0'; at++)
		assert_true(*at >= ' ' && *at <= '~');
	memset(long_text, 'k', sizeof(long_text));
	memset(message, 'z', sizeof(message));
	assert_int_equal(own_option_set(long_text, sizeof(long_text), message, sizeof(message)),
			 EINVAL);
	assert_non_null(memchr(message, '\0', sizeof(message)));
	memset(small, 'z', sizeof(small));
	assert_int_equal(own_option_set("report=wrong", 12, small, sizeof(small) - 4), EINVAL);
	assert_non_null(memchr(small, '\0', sizeof(small) - 4));
	assert_memory_equal(small + sizeof(small) - 4, "zzzz", 4);
}

static int complaints;

static void complain(const char *text)
{
	complaints++;
	assert_true(strlen(text) > 0);
	assert_null(strchr(text, '\n'));
}

static void lists_take_what_is_right_and_count_what_is_wrong(void **state)
{
	(void)state;
	complaints = 0;
	assert_int_equal(own_options_parse("top=3:nonsense:spin=0::spin=9:report=json:", complain),
			 2);
	assert_int_equal(complaints, 2);
	assert_int_equal(own_option(OWN_OPTION_top), 3);
	assert_int_equal(own_option(OWN_OPTION_spin), 0);
	assert_int_equal(own_option(OWN_OPTION_report), 2);
	assert_int_equal(own_options_parse("", complain), 0);
	assert_int_equal(own_options_parse(":::", complain), 0);
}

static void load_takes_the_environment_and_keeps_errno(void **state)
{
	int saved = dup(STDERR_FILENO);
	int ends[2];
	char text[512] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	setenv("OWNLINE_OPTIONS", "top=4:bad=1", 1);
	dup2(ends[1], STDERR_FILENO);
	errno = 4711;
	own_options_load();
	assert_int_equal(errno, 4711);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	assert_int_equal(own_option(OWN_OPTION_top), 4);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	close(ends[0]);
	assert_ptr_equal(strstr(text, "ownline: OWNLINE_OPTIONS: option \"bad\""), text);
	/* One line. */
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	unsetenv("OWNLINE_OPTIONS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_default_is_in_range),
	    cmocka_unit_test_teardown(numbers_are_taken_within_their_range, restore_defaults),
	    cmocka_unit_test_teardown(wrong_numbers_change_nothing_and_name_the_range,
				      restore_defaults),
	    cmocka_unit_test_teardown(choices_are_taken_by_their_words, restore_defaults),
	    cmocka_unit_test_teardown(slots_are_keep_global_or_a_power_of_two, restore_defaults),
	    cmocka_unit_test_teardown(texts_are_taken_up_to_their_size, restore_defaults),
	    cmocka_unit_test_teardown(unknown_options_are_faults, restore_defaults),
	    cmocka_unit_test_teardown(keys_may_be_written_with_dashes, restore_defaults),
	    cmocka_unit_test_teardown(messages_are_one_clean_line_that_fits, restore_defaults),
	    cmocka_unit_test_teardown(lists_take_what_is_right_and_count_what_is_wrong,
				      restore_defaults),
	    cmocka_unit_test_teardown(load_takes_the_environment_and_keeps_errno, restore_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
