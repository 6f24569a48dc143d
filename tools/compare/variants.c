/* The variants: their names, whether they are possible here, and what the command starts with. */
#include "config/options.h"
#include "sys/futex_hash.h"
#include "tools/commands.h"
#include "tools/compare/compare.h"
#include "tools/compare/hash_size.h"
#include "tools/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HASH_LIBRARY   "libownline-hash.so"
#define HASH_OPTION    "futex_hash="
#define KERNELS_CHOICE (-1)
#define NAMES_VARIANTS                                                                             \
	"give a list of asis, ownline, global, a power of two, ownline-global, ownline-SLOTS, "    \
	"ownline:KEY=VALUE"

static int complain(const char *name, const char *remedy)
{
	own_complain("compare: --variants: \"%.60s\" is no variant; %s", name, remedy);
	return OWN_EXIT_USAGE;
}

/* A number of slots, or "global". */
static bool parse_slots(const char *text, long *slots)
{
	char *end;

	if (strcmp(text, "global") == 0) {
		*slots = 0;
		return true;
	}
	if (*text < '1' || *text > '9')
		return false;
	errno = 0;
	*slots = strtol(text, &end, 10);
	return errno == 0 && *end == '\0' && *slots >= 2 && *slots <= OWN_HASH_MAX_SLOTS &&
	       (*slots & (*slots - 1)) == 0;
}

/* What the library is told: the environment's list first, so that the variant's own wins. */
static bool compose_options(struct own_variant *variant, const char *own)
{
	const char *environment = getenv(OWN_OPTIONS_ENVIRONMENT);
	size_t size = strlen(own) + 32;

	if (environment == NULL)
		environment = "";
	size += strlen(environment);
	variant->options = malloc(size);
	if (variant->options == NULL)
		return false;
	snprintf(variant->options, size, "%s%s%s%sreport=none", environment,
		 environment[0] != '\0' ? ":" : "", own, own[0] != '\0' ? ":" : "");
	return true;
}

static int parse_ownline(struct own_variant *variant, const char *tail)
{
	char option[64] = "";
	char message[256];
	const char *own = tail[0] == ':' ? tail + 1 : option;

	if (tail[0] == '-') {
		if (!parse_slots(tail + 1, &variant->slots))
			return complain(variant->name, "slots are a power of two from 2 up");
		snprintf(option, sizeof(option), HASH_OPTION "%s", tail + 1);
	}
	for (const char *at = own; *at != '\0';) {
		size_t length = strcspn(at, ":");

		if (own_option_set(at, length, message, sizeof(message)) != 0) {
			own_complain("compare: --variants: %.60s: %s", variant->name, message);
			return OWN_EXIT_USAGE;
		}
		at += length + (at[length] == ':');
	}
	if (!compose_options(variant, own)) {
		own_complain("compare: out of memory; end other programs");
		return OWN_EXIT_CANNOT_EXECUTE;
	}
	return own_launch_find_library(variant->library, sizeof(variant->library)) ? 0
										   : OWN_EXIT_USAGE;
}

static int parse_one(struct own_variant *variant)
{
	const char *name = variant->name;

	variant->slots = KERNELS_CHOICE;
	if (strcmp(name, "asis") == 0) {
		variant->kind = OWN_VARIANT_AS_IS;
		variant->verified = true;
		return 0;
	}
	if (strncmp(name, "ownline", 7) == 0 &&
	    (name[7] == '\0' || name[7] == '-' || name[7] == ':')) {
		variant->kind = OWN_VARIANT_OWNLINE;
		return parse_ownline(variant, name + 7);
	}
	variant->kind = OWN_VARIANT_HASH;
	if (parse_slots(name, &variant->slots))
		return 0;
	if (*name >= '0' && *name <= '9')
		return complain(name, "slots are a power of two from 2 up");
	return complain(name, NAMES_VARIANTS);
}

/* The first size of a process's futex hash is for good if it is 0: each is tried in a child. */
static int try_slots(long slots)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int error = own_futex_hash_set_slots((uint32_t)slots);

		_exit(error < 0 && error > -255 ? -error : error != 0);
	}
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static void look_what_is_possible(struct own_variant *variant)
{
	int error = variant->slots >= 0 ? try_slots(variant->slots) : 0;

	if (error != 0)
		snprintf(variant->reason, sizeof(variant->reason), "%s",
			 own_futex_hash_why(-error));
	else if (variant->kind == OWN_VARIANT_HASH &&
		 !own_launch_find_helper(HASH_LIBRARY, variant->library, sizeof(variant->library)))
		snprintf(variant->reason, sizeof(variant->reason),
			 "there is no " HASH_LIBRARY " beside the command, in a folder without "
			 "blanks and colons; install it");
}

static int check_environment(void)
{
	const char *preloads = getenv("LD_PRELOAD");

	if (preloads == NULL || strstr(preloads, "libownline") == NULL)
		return 0;
	own_complain("compare: LD_PRELOAD holds ownline already, so that no variant would be as "
		     "it is; unset it");
	return OWN_EXIT_USAGE;
}

static int faults;

static void complain_about_options(const char *message)
{
	own_complain("%s: %s", OWN_OPTIONS_ENVIRONMENT, message);
	faults++;
}

static int add(struct own_compare *compare, const char *name)
{
	struct own_variant *variant;
	int status;

	for (size_t i = 0; i < compare->variant_count; i++) {
		if (strcmp(compare->variants[i].name, name) == 0) {
			own_complain("compare: --variants: \"%.60s\" is there twice; give it once",
				     name);
			return OWN_EXIT_USAGE;
		}
	}
	if (compare->variant_count == OWN_COMPARE_MAX_VARIANTS) {
		own_complain("compare: --variants: give at most %d", OWN_COMPARE_MAX_VARIANTS);
		return OWN_EXIT_USAGE;
	}
	variant = &compare->variants[compare->variant_count++];
	variant->name = name;
	status = parse_one(variant);
	if (status == 0)
		look_what_is_possible(variant);
	return status;
}

int own_variants_parse(struct own_compare *compare)
{
	const char *options = getenv(OWN_OPTIONS_ENVIRONMENT);
	char *at = compare->options->variants;
	int status = check_environment();

	if (status == 0 && options != NULL &&
	    own_options_parse(options, complain_about_options) > 0)
		status = OWN_EXIT_USAGE;
	while (status == 0) {
		size_t length = strcspn(at, ",");
		bool last = at[length] == '\0';

		at[length] = '\0';
		status = add(compare, at);
		at += length + 1;
		if (last)
			break;
	}
	return status;
}

void own_variants_free(struct own_compare *compare)
{
	for (size_t i = 0; i < compare->variant_count; i++) {
		free(compare->variants[i].options);
		free(compare->variants[i].runs);
	}
}
