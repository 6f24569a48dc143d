#include "tools/process_modules.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	char path[OWN_MODULE_PATH];
};

/* The difference between a mapped address and the file's own; false: not an ELF file of 64 bits. */
static bool read_bias(const char *path, uint64_t start, uint64_t *bias)
{
	Elf64_Ehdr header;
	Elf64_Phdr part;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;

	if (fd < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_phentsize == sizeof(part)) {
		for (unsigned i = 0; i < header.e_phnum && !found; i++) {
			off_t at = (off_t)(header.e_phoff + i * sizeof(part));

			if (pread(fd, &part, sizeof(part), at) != (ssize_t)sizeof(part))
				break;
			found = part.p_type == PT_LOAD;
		}
	}
	close(fd);
	/* The first part is mapped at the first address, both rounded down to pages. */
	if (found)
		*bias = start - (part.p_vaddr & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1));
	return found;
}

static void add(struct own_process_modules *known, const struct mapping *mapping)
{
	struct own_module *module;
	uint64_t bias;

	for (size_t i = 0; i < known->count; i++) {
		if (own_load_relaxed(&known->modules[i].start) == mapping->start &&
		    strcmp(known->modules[i].path, mapping->path) == 0)
			return;
	}
	if (!read_bias(mapping->path, mapping->start, &bias))
		return;
	if (known->count == known->room) {
		size_t room = known->room > 0 ? 2 * known->room : 16;
		struct own_module *more = realloc(known->modules, room * sizeof(*more));

		if (more == NULL)
			return;
		known->modules = more;
		known->room = room;
	}
	module = &known->modules[known->count++];
	own_store_relaxed(&module->start, mapping->start);
	own_store_relaxed(&module->end, mapping->end);
	module->bias = bias;
	memcpy(module->path, mapping->path, sizeof(module->path));
}

/* Takes one line of maps; false if it maps no file. */
static bool parse_line(const char *line, struct mapping *mapping)
{
	int path_at = 0;
	size_t length;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %*s %*s %n", &mapping->start,
		   &mapping->end, &mapping->offset, &path_at) < 3 ||
	    path_at == 0 || line[path_at] != '/')
		return false;
	length = strcspn(line + path_at, "\n");
	if (length >= sizeof(mapping->path))
		return false;
	memcpy(mapping->path, line + path_at, length);
	mapping->path[length] = '\0';
	return true;
}

bool own_process_modules_read(struct own_process_modules *known, int pid)
{
	char path[32];
	char *line = NULL;
	size_t size = 0;
	struct mapping whole = {0};
	bool any = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (maps == NULL)
		return false;
	while (getline(&line, &size, maps) > 0) {
		struct mapping one;

		any = true;
		if (!parse_line(line, &one))
			continue;
		/* The parts of one file follow each other, the first from offset 0. */
		if (whole.end > 0 && one.offset > 0 && strcmp(one.path, whole.path) == 0) {
			whole.end = one.end;
			continue;
		}
		if (whole.end > 0)
			add(known, &whole);
		whole = one;
	}
	if (whole.end > 0)
		add(known, &whole);
	free(line);
	fclose(maps);
	return any;
}

const struct own_module *own_process_modules_find(const struct own_process_modules *known,
						  uint64_t address)
{
	/* The latest first: it may lie where an unloaded one was. */
	for (size_t i = known->count; i > 0; i--) {
		const struct own_module *module = &known->modules[i - 1];

		if (address >= own_load_relaxed(&module->start) &&
		    address < own_load_relaxed(&module->end))
			return module;
	}
	return NULL;
}

void own_process_modules_free(struct own_process_modules *known)
{
	free(known->modules);
	memset(known, 0, sizeof(*known));
}
