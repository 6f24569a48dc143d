/* Where libownline.so is: in the build tree, installed beside us, or where the user says. */
#include "tools/commands.h"
#include "tools/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef OWN_LIBRARY_NAME
#define OWN_LIBRARY_NAME "libownline.so.0"
#endif
#ifndef OWN_LIBDIR_FROM_BINDIR
#define OWN_LIBDIR_FROM_BINDIR "../lib"
#endif
#ifndef OWN_LIBDIR
#define OWN_LIBDIR "/usr/local/lib"
#endif

static bool take(const char *candidate, char *path, size_t size)
{
	char real[PATH_MAX];

	if (access(candidate, R_OK) != 0 || realpath(candidate, real) == NULL)
		return false;
	return (size_t)snprintf(path, size, "%s", real) < size;
}

static bool take_beside(const char *directory, const char *folder, char *path, size_t size)
{
	char candidate[2 * PATH_MAX];

	snprintf(candidate, sizeof(candidate), "%s/%s/%s", directory, folder, OWN_LIBRARY_NAME);
	return take(candidate, path, size);
}

static bool search(char *path, size_t size)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (length > 0) {
		own[length] = '\0';
		slash = strrchr(own, '/');
		if (slash != NULL)
			*slash = '\0';
		if (take_beside(own, OWN_LIBDIR_FROM_BINDIR, path, size) ||
		    take_beside(own, "../lib", path, size) ||
		    take_beside(own, "../runtime", path, size) || take_beside(own, ".", path, size))
			return true;
	}
	return take(OWN_LIBDIR "/" OWN_LIBRARY_NAME, path, size);
}

bool own_launch_find_library(char *path, size_t size)
{
	const char *given = getenv(OWN_LIBRARY_ENVIRONMENT);

	if (given != NULL && given[0] != '\0') {
		if (!take(given, path, size)) {
			own_complain("%s=%s: there is no such file; correct or unset it",
				     OWN_LIBRARY_ENVIRONMENT, given);
			return false;
		}
	} else if (!search(path, size)) {
		own_complain("cannot find %s beside this command; set %s to its path",
			     OWN_LIBRARY_NAME, OWN_LIBRARY_ENVIRONMENT);
		return false;
	}
	/* LD_PRELOAD knows no way to quote these. */
	if (strpbrk(path, ": ") != NULL) {
		own_complain("the path %s holds a blank or a colon, which LD_PRELOAD cannot; "
			     "move it, or set %s",
			     path, OWN_LIBRARY_ENVIRONMENT);
		return false;
	}
	return true;
}
