#define _GNU_SOURCE 1 /* secure_getenv */
#include "config/options.h"

#include "base/compiler.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_SIZE 256
#define QUOTE_SIZE   48

enum {
	NUMBER = OWN_OPTION_NUMBER,
	CHOICE = OWN_OPTION_CHOICE,
	TEXT = OWN_OPTION_TEXT,
	SLOTS = OWN_OPTION_SLOTS
};

static const struct own_option_info infos[OWN_OPTION_COUNT] = {
#define OWN_OPTION(name, kind, value, minimum, maximum, help)                                      \
	[OWN_OPTION_##name] = {#name, (enum own_option_kind)(kind), value, minimum, maximum, help},
#include "config/options.def"
#undef OWN_OPTION
};

long own_option_values[OWN_OPTION_COUNT] = {
#define OWN_OPTION(name, kind, value, minimum, maximum, help) [OWN_OPTION_##name] = (value),
#include "config/options.def"
#undef OWN_OPTION
};

/* The words of each CHOICE, in the order of their values, as many as its maximum says. */
static const char *const report_words[] = {"none", "text", "json", NULL};
static const char *const *const choices[OWN_OPTION_COUNT] = {
    [OWN_OPTION_report] = report_words,
};

static char texts[OWN_OPTION_COUNT][OWN_OPTION_TEXT_SIZE];

const char *own_option_text(enum own_option option)
{
	return texts[option];
}

const struct own_option_info *own_option_info(enum own_option option)
{
	return &infos[option];
}

const char *own_option_choice(enum own_option option, long index)
{
	const char *const *words = choices[option];

	if (words == NULL || index < 0 || index > infos[option].maximum)
		return NULL;
	return words[index];
}

/* Copies user text into a message: cut to fit, and nothing that a terminal would act on. */
static const char *quote(char *buffer, const char *text, size_t length)
{
	size_t n = length < QUOTE_SIZE - 4 ? length : QUOTE_SIZE - 4;

	for (size_t i = 0; i < n; i++)
		buffer[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	memcpy(buffer + n, "...", 4);
	if (n == length)
		buffer[n] = '\0';
	return buffer;
}

/* Keys are written with '_' or '-'. */
static bool key_is(const char *name, const char *key, size_t length)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (name[i] != (key[i] == '-' ? '_' : key[i]))
			return false;
	}
	return true;
}

static enum own_option find(const char *key, size_t length)
{
	for (int i = 0; i < OWN_OPTION_COUNT; i++) {
		if (key_is(infos[i].name, key, length))
			return (enum own_option)i;
	}
	return OWN_OPTION_COUNT;
}

/* strtol would skip blanks, follow the locale and change errno. */
static bool parse_number(const char *text, size_t length, long *number)
{
	bool negative = length > 0 && text[0] == '-';
	size_t i = negative ? 1 : 0;
	long value = 0;

	if (i == length)
		return false;
	for (; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (value > (LONG_MAX - 9) / 10)
			value = LONG_MAX / 10; /* too large for every range, and stays so */
		else
			value = value * 10 + (text[i] - '0');
	}
	*number = negative ? -value : value;
	return true;
}

static int set_number(enum own_option option, const char *value, size_t length, char *message,
		      size_t size)
{
	const struct own_option_info *info = &infos[option];
	char shown[QUOTE_SIZE];
	long number;

	if (parse_number(value, length, &number) && number >= info->minimum &&
	    number <= info->maximum) {
		own_option_values[option] = number;
		return 0;
	}
	snprintf(message, size, "option %s=%s: give a whole number from %ld to %ld", info->name,
		 quote(shown, value, length), info->minimum, info->maximum);
	return EINVAL;
}

static bool word_is(const char *word, const char *value, size_t length)
{
	return strlen(word) == length && memcmp(word, value, length) == 0;
}

static int set_choice(enum own_option option, const char *value, size_t length, char *message,
		      size_t size)
{
	char shown[QUOTE_SIZE];
	size_t used;

	for (long i = 0; own_option_choice(option, i) != NULL; i++) {
		const char *word = own_option_choice(option, i);

		if (word_is(word, value, length)) {
			own_option_values[option] = i;
			return 0;
		}
	}
	snprintf(message, size, "option %s=%s: give one of", infos[option].name,
		 quote(shown, value, length));
	for (long i = 0; own_option_choice(option, i) != NULL; i++) {
		used = strnlen(message, size);
		snprintf(message + used, size - used, "%s %s", i > 0 ? "," : "",
			 own_option_choice(option, i));
	}
	return EINVAL;
}

/* The kernel cuts the number to 32 bits, and takes 0 for the global table, for good. */
static int set_slots(enum own_option option, const char *value, size_t length, char *message,
		     size_t size)
{
	const struct own_option_info *info = &infos[option];
	char shown[QUOTE_SIZE];
	long number = 0;

	if (word_is("keep", value, length)) {
		own_option_values[option] = OWN_SLOTS_KEEP;
	} else if (word_is("global", value, length)) {
		own_option_values[option] = OWN_SLOTS_GLOBAL;
	} else if (parse_number(value, length, &number) && number >= 2 && number <= info->maximum &&
		   (number & (number - 1)) == 0) {
		own_option_values[option] = number;
	} else {
		snprintf(message, size,
			 "option %s=%s: give keep, global, or a power of two from 2 to %ld",
			 info->name, quote(shown, value, length), info->maximum);
		return EINVAL;
	}
	return 0;
}

static int set_text(enum own_option option, const char *value, size_t length, char *message,
		    size_t size)
{
	if (length >= OWN_OPTION_TEXT_SIZE) {
		snprintf(message, size, "option %s: the text is %zu bytes long, the limit is %d",
			 infos[option].name, length, OWN_OPTION_TEXT_SIZE - 1);
		return EINVAL;
	}
	if (memchr(value, '\0', length) != NULL) {
		snprintf(message, size, "option %s: the text holds a zero byte; remove it",
			 infos[option].name);
		return EINVAL;
	}
	memcpy(texts[option], value, length);
	texts[option][length] = '\0';
	return 0;
}

int own_option_set(const char *text, size_t length, char *message, size_t size)
{
	const char *equals = memchr(text, '=', length);
	char shown[QUOTE_SIZE];
	const char *value;
	size_t value_length;
	enum own_option option;

	if (equals == NULL) {
		snprintf(message, size, "option \"%s\" has no value: write KEY=VALUE",
			 quote(shown, text, length));
		return EINVAL;
	}
	option = find(text, (size_t)(equals - text));
	if (option == OWN_OPTION_COUNT) {
		snprintf(message, size, "option \"%s\" is not known; \"ownline options\" lists all",
			 quote(shown, text, (size_t)(equals - text)));
		return EINVAL;
	}
	value = equals + 1;
	value_length = length - (size_t)(value - text);
	switch (infos[option].kind) {
	case OWN_OPTION_NUMBER:
		return set_number(option, value, value_length, message, size);
	case OWN_OPTION_CHOICE:
		return set_choice(option, value, value_length, message, size);
	case OWN_OPTION_SLOTS:
		return set_slots(option, value, value_length, message, size);
	case OWN_OPTION_TEXT:
		break;
	}
	return set_text(option, value, value_length, message, size);
}

int own_options_parse(const char *list, void (*complain)(const char *message))
{
	char message[MESSAGE_SIZE];
	int faults = 0;

	while (*list != '\0') {
		size_t length = strcspn(list, ":");

		if (length > 0 && own_option_set(list, length, message, sizeof(message)) != 0) {
			faults++;
			complain(message);
		}
		list += length;
		if (*list == ':')
			list++;
	}
	return faults;
}

static void complain_on_stderr(const char *message)
{
	char line[MESSAGE_SIZE + 64];
	int length = snprintf(line, sizeof(line), "ownline: %s: %s; the default is used\n",
			      OWN_OPTIONS_ENVIRONMENT, message);

	/* Where stderr is closed there is nobody to tell, and the program has to run on. */
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}

void own_options_load(void)
{
	int saved = errno;
	const char *list = secure_getenv(OWN_OPTIONS_ENVIRONMENT);

	if (list != NULL)
		own_options_parse(list, complain_on_stderr);
	errno = saved;
}
