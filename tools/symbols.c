#include "tools/symbols.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void name_by_offset(const struct own_module *module, uint64_t address, char *name,
			   size_t size)
{
	const char *slash = strrchr(module->path, '/');
	const char *base = slash != NULL ? slash + 1 : module->path;

	snprintf(name, size, "%s+0x%" PRIx64, base[0] != '\0' ? base : "?", address - module->bias);
}

#ifdef OWN_HAVE_LIBDW

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#define CACHED_FILES 32
#define FOR_THE_LINE 80 /* bytes behind a symbol, for offset, file and line */

struct file {
	char path[OWN_MODULE_PATH];
	uint64_t bias;
	Dwfl *dwfl;
};

static struct file files[CACHED_FILES];
static size_t file_count;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

static Dwfl *open_file(const struct own_module *module)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl == NULL)
		return NULL;
	if (dwfl_report_elf(dwfl, module->path, module->path, -1, module->bias, true) != NULL &&
	    dwfl_report_end(dwfl, NULL, NULL) == 0)
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

static Dwfl *dwfl_of(const struct own_module *module)
{
	struct file *file;

	for (size_t i = 0; i < file_count; i++) {
		if (files[i].bias == module->bias && strcmp(files[i].path, module->path) == 0)
			return files[i].dwfl;
	}
	if (file_count == CACHED_FILES)
		own_symbols_end();
	/* Names are worth no look-up over the network. */
	unsetenv("DEBUGINFOD_URLS");
	file = &files[file_count++];
	memcpy(file->path, module->path, sizeof(file->path));
	file->bias = module->bias;
	file->dwfl = open_file(module);
	return file->dwfl;
}

/* The C++ library is asked only if a name needs it and it is there. The caller frees the result. */
static char *demangle(const char *symbol)
{
	char *(*function)(const char *, char *, size_t *, int *) = NULL;
	static void *library;
	int status = 0;

	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	if (library == NULL)
		library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (library != NULL)
		*(void **)&function = dlsym(library, "__cxa_demangle");
	return function != NULL ? function(symbol, NULL, NULL, &status) : NULL;
}

static bool is_of_the_system(const char *source)
{
	/* clang comes to C++'s headers by a path with many "..". */
	return strncmp(source, "/usr/include/", 13) == 0 || strncmp(source, "/usr/lib/", 9) == 0 ||
	       strstr(source, "/include/c++/") != NULL;
}

/*
 * The compilation unit of an address, and what to take off the address within it. clang writes no
 * table of addresses (.debug_aranges), without which the library's own search finds nothing.
 */
static Dwarf_Die *find_unit(Dwfl_Module *file, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(file, address, bias);

	if (unit != NULL)
		return unit;
	while ((unit = dwfl_module_nextcu(file, unit, bias)) != NULL) {
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	}
	return NULL;
}

/*
 * Headers of the system that were compiled inline are not what a user wants to see of a lock: the
 * line from which they were called is, the innermost one that is not in such a header itself.
 */
static void leave_headers(Dwarf_Die *unit, Dwarf_Addr address, const char **source, int *number)
{
	Dwarf_Die *scopes = NULL;
	Dwarf_Files *files;
	int count = dwarf_getscopes(unit, address, &scopes);

	if (count > 0 && dwarf_getsrcfiles(unit, &files, NULL) == 0) {
		for (int i = 0; i < count && is_of_the_system(*source); i++) {
			Dwarf_Attribute attribute;
			Dwarf_Word index, line;
			const char *caller;

			if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
			    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute),
					    &index) != 0 ||
			    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute),
					    &line) != 0)
				continue;
			caller = dwarf_filesrc(files, index, NULL, NULL);
			if (caller == NULL)
				continue;
			*source = caller;
			*number = (int)line;
		}
	}
	free(scopes);
}

static void add_source_line(Dwfl_Module *file, uint64_t address, char *name, size_t size)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(file, address, &bias);
	Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, address - bias) : NULL;
	const char *source = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
	const char *slash;
	int number = 0;
	size_t used = strlen(name);

	if (source == NULL || dwarf_lineno(line, &number) != 0)
		return;
	leave_headers(unit, address - bias, &source, &number);
	slash = strrchr(source, '/');
	snprintf(name + used, size - used, " (%s:%d)", slash != NULL ? slash + 1 : source, number);
}

void own_symbols_name(const struct own_module *module, uint64_t address, char *name, size_t size)
{
	Dwfl *dwfl = dwfl_of(module);
	/* A call may be a function's last instruction: what it returns to is then another's. */
	uint64_t call = address - 1;
	Dwfl_Module *file = dwfl != NULL ? dwfl_addrmodule(dwfl, call) : NULL;
	GElf_Off offset;
	GElf_Sym symbol;
	const char *found = NULL;
	char *plain;

	if (file != NULL)
		found = dwfl_module_addrinfo(file, call, &offset, &symbol, NULL, NULL, NULL);
	if (found == NULL) {
		name_by_offset(module, address, name, size);
		return;
	}
	plain = demangle(found);
	/* C++ makes symbols of any length; what finds the place must not be what is cut off. */
	snprintf(name, size, "%.*s+0x%" PRIx64,
		 (int)(size > FOR_THE_LINE ? size - FOR_THE_LINE : 0),
		 plain != NULL ? plain : found, (uint64_t)offset + 1);
	free(plain);
	add_source_line(file, call, name, size);
}

void own_symbols_name_data(const struct own_module *module, uint64_t address, char *name,
			   size_t size)
{
	Dwfl *dwfl = dwfl_of(module);
	Dwfl_Module *file = dwfl != NULL ? dwfl_addrmodule(dwfl, address) : NULL;
	GElf_Off offset;
	GElf_Sym symbol;
	const char *found = NULL;
	char *plain;

	name[0] = '\0';
	if (file != NULL)
		found = dwfl_module_addrinfo(file, address, &offset, &symbol, NULL, NULL, NULL);
	if (found == NULL || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
		return;
	plain = demangle(found);
	if (offset == 0)
		snprintf(name, size, "%s", plain != NULL ? plain : found);
	else
		snprintf(name, size, "%s+0x%" PRIx64, plain != NULL ? plain : found,
			 (uint64_t)offset);
	free(plain);
}

void own_symbols_end(void)
{
	for (size_t i = 0; i < file_count; i++) {
		if (files[i].dwfl != NULL)
			dwfl_end(files[i].dwfl);
	}
	file_count = 0;
}

#else

void own_symbols_name_data(const struct own_module *module, uint64_t address, char *name,
			   size_t size)
{
	(void)module;
	(void)address;
	snprintf(name, size, "%s", "");
}

void own_symbols_name(const struct own_module *module, uint64_t address, char *name, size_t size)
{
	name_by_offset(module, address, name, size);
}

void own_symbols_end(void)
{
}

#endif
