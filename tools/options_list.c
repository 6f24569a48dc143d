/* ownline options */
#include "config/options.h"
#include "tools/commands.h"

#include <getopt.h>
#include <stdio.h>

static const char *const kinds[] = {
    [OWN_OPTION_NUMBER] = "number",
    [OWN_OPTION_CHOICE] = "choice",
    [OWN_OPTION_TEXT] = "text",
    [OWN_OPTION_SLOTS] = "slots",
};

static void help(void)
{
	printf("usage: ownline options\n"
	       "\n"
	       "Lists every option of the runtime: its kind, range, default, and what it does.\n"
	       "Set options with \"ownline run --option KEY=VALUE\", or in the environment:\n"
	       "%s=KEY=VALUE:KEY=VALUE\n",
	       OWN_OPTIONS_ENVIRONMENT);
}

static void range_and_default(enum own_option option, char *range, char *value, size_t size)
{
	const struct own_option_info *info = own_option_info(option);
	size_t used = 0;

	switch (info->kind) {
	case OWN_OPTION_NUMBER:
		snprintf(range, size, "%ld..%ld", info->minimum, info->maximum);
		snprintf(value, size, "%ld", info->value);
		return;
	case OWN_OPTION_CHOICE:
		for (long i = 0; own_option_choice(option, i) != NULL && used < size; i++)
			used += (size_t)snprintf(range + used, size - used, "%s%s",
						 i > 0 ? "|" : "", own_option_choice(option, i));
		snprintf(value, size, "%s", own_option_choice(option, info->value));
		return;
	case OWN_OPTION_TEXT:
		snprintf(range, size, "up to %d bytes", OWN_OPTION_TEXT_SIZE - 1);
		snprintf(value, size, "empty");
		return;
	case OWN_OPTION_SLOTS:
		snprintf(range, size, "keep|global|2..%ld", info->maximum);
		snprintf(value, size, "keep");
		return;
	}
}

int own_command_options(int argc, char **argv)
{
	static const struct option long_options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int found = getopt_long(argc, argv, "+:h", long_options, NULL);

	if (found == 'h') {
		help();
		return own_finish_output();
	}
	if (found != -1)
		return own_complain_option("options", found, argv);
	if (optind < argc) {
		own_complain("options: takes no argument; leave out \"%.40s\"", argv[optind]);
		return OWN_EXIT_USAGE;
	}
	printf("%-16s %-7s %-23s %s\n", "option", "kind", "range", "default");
	for (int i = 0; i < OWN_OPTION_COUNT; i++) {
		const struct own_option_info *info = own_option_info((enum own_option)i);
		char range[128];
		char value[128];

		range_and_default((enum own_option)i, range, value, sizeof(range));
		printf("%-16s %-7s %-23s %s\n    %s\n", info->name, kinds[info->kind], range, value,
		       info->help);
	}
	return own_finish_output();
}
