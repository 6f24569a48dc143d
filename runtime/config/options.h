/*
 * The runtime's options: OWNLINE_OPTIONS=key=value:key=value, read once at start by secure_getenv,
 * so that a setuid program takes none.
 *
 * Before own_options_load every option has its default: the table is statically initialised.
 */
#ifndef OWN_CONFIG_OPTIONS_H
#define OWN_CONFIG_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum own_option_kind {
	OWN_OPTION_NUMBER,
	OWN_OPTION_CHOICE,
	OWN_OPTION_TEXT,
	OWN_OPTION_SLOTS,
};

/* Values of a SLOTS option that are no number of slots; the kernel has no table of one slot. */
enum own_option_slots {
	OWN_SLOTS_KEEP = 0,
	OWN_SLOTS_GLOBAL = 1,
};

enum own_option {
#define OWN_OPTION(name, kind, value, minimum, maximum, help) OWN_OPTION_##name,
#include "config/options.def"
#undef OWN_OPTION
	OWN_OPTION_COUNT
};

#define OWN_OPTION_TEXT_SIZE 512

struct own_option_info {
	const char *name;
	enum own_option_kind kind;
	long value; /* default */
	long minimum;
	long maximum;
	const char *help;
};

/* Values in force; read without synchronisation: they change only while options are loaded. */
extern long own_option_values[OWN_OPTION_COUNT];

static inline long own_option(enum own_option option)
{
	return own_option_values[option];
}

const char *own_option_text(enum own_option option);
const struct own_option_info *own_option_info(enum own_option option);

/* The word for value `index` of a CHOICE, NULL past the last. */
const char *own_option_choice(enum own_option option, long index);

/*
 * Takes one "key=value" of `length` bytes. Returns 0, or EINVAL with one line in `message` (no
 * newline) that names the fault and the remedy; the value then stays as it was.
 */
int own_option_set(const char *text, size_t length, char *message, size_t size);

/*
 * Takes a whole key=value:key=value list. Every fault is reported through `complain`, and the
 * default stays in force for it. Returns the number of faults.
 */
int own_options_parse(const char *list, void (*complain)(const char *message));

/* Reads OWNLINE_OPTIONS; faults go to stderr, a line each. */
void own_options_load(void);

#define OWN_OPTIONS_ENVIRONMENT "OWNLINE_OPTIONS"

#endif
