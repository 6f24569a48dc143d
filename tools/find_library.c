/*
 * Where libownline.so is: in the build tree, installed beside us, or where the user says; and how
 * it is put into LD_PRELOAD.
 */
#include "tools/commands.h"
#include "tools/launch.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

static bool take_beside(const char *directory, const char *name, char *path, size_t size)
{
	static const char *const folders[] = {OWN_LIBDIR_FROM_BINDIR, "../lib", "../runtime", "."};
	char candidate[2 * PATH_MAX];

	for (size_t i = 0; i < own_array_size(folders); i++) {
		snprintf(candidate, sizeof(candidate), "%s/%s/%s", directory, folders[i], name);
		if (take(candidate, path, size))
			return true;
	}
	return false;
}

static bool search(const char *name, char *path, size_t size)
{
	char own[PATH_MAX];
	char installed[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (length > 0) {
		own[length] = '\0';
		slash = strrchr(own, '/');
		if (slash != NULL)
			*slash = '\0';
		if (take_beside(own, name, path, size))
			return true;
	}
	snprintf(installed, sizeof(installed), "%s/%s", OWN_LIBDIR, name);
	return take(installed, path, size);
}

/* LD_PRELOAD knows no way to quote these. */
static bool can_be_preloaded(const char *path)
{
	if (strpbrk(path, ": ") == NULL)
		return true;
	own_complain("the path %s holds a blank or a colon, which LD_PRELOAD cannot; "
		     "move it, or set %s",
		     path, OWN_LIBRARY_ENVIRONMENT);
	return false;
}

static bool read_header(const char *path, Elf64_Ehdr *header)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0 && read(fd, header, sizeof(*header)) == (ssize_t)sizeof(*header);

	if (fd >= 0)
		close(fd);
	return done && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* Every libownline.so exports this call, so its name is there. */
static bool holds_our_call(const char *path)
{
	static const char name[] = "ownline_stats_read";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about = {0};
	void *data = MAP_FAILED;
	bool found;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) == 0 && about.st_size > 0)
		data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return false;
	found = memmem(data, (size_t)about.st_size, name, sizeof(name)) != NULL;
	munmap(data, (size_t)about.st_size);
	return found;
}

/* The loader would only warn, in words of its own, and start the program without it. */
static bool is_our_library(const char *path)
{
	Elf64_Ehdr own, given;

	if (!read_header(path, &given) || given.e_type != ET_DYN)
		return false;
	if (read_header("/proc/self/exe", &own) &&
	    (own.e_machine != given.e_machine || own.e_ident[EI_CLASS] != given.e_ident[EI_CLASS]))
		return false;
	return holds_our_call(path);
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
		if (!is_our_library(path)) {
			own_complain("%s=%s: it is no libownline.so for this machine; correct or "
				     "unset it",
				     OWN_LIBRARY_ENVIRONMENT, given);
			return false;
		}
	} else if (!search(OWN_LIBRARY_NAME, path, size)) {
		own_complain("cannot find %s beside this command; set %s to its path",
			     OWN_LIBRARY_NAME, OWN_LIBRARY_ENVIRONMENT);
		return false;
	}
	return can_be_preloaded(path);
}

bool own_launch_find_helper(const char *name, char *path, size_t size)
{
	return search(name, path, size) && strpbrk(path, ": ") == NULL;
}

bool own_launch_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	bool done;

	if (old == NULL || old[0] == '\0')
		return setenv("LD_PRELOAD", library, 1) == 0;
	value = malloc(strlen(library) + strlen(old) + 2);
	if (value == NULL)
		return false;
	sprintf(value, "%s:%s", library, old);
	done = setenv("LD_PRELOAD", value, 1) == 0;
	free(value);
	return done;
}
