/* From an address to "function+0x12", or "module+0x1234" where no function is known to hold it. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/commands.h"
#include "mappings.h"

struct symbol {
	__u64 start;
	__u64 size;
	char *name;
};

/* A file's function symbols, sorted by address; loaded when first asked for. */
struct module {
	struct module *next;
	const char *path; /* interned: compared by pointer */
	struct symbol *symbols;
	size_t count, room;
	struct {
		__u64 offset, size, address;
	} segments[8];
	int segment_count;
};

struct own_trace_symbols {
	struct own_trace_mappings *mappings;
	struct module *modules;
};

static void add_symbol(struct module *module, const GElf_Sym *symbol, const char *name)
{
	if (module->count == module->room) {
		size_t room = module->room ? 2 * module->room : 1024;
		struct symbol *bigger = realloc(module->symbols, room * sizeof(*bigger));

		if (!bigger)
			return;
		module->symbols = bigger;
		module->room = room;
	}
	module->symbols[module->count].start = symbol->st_value;
	module->symbols[module->count].size = symbol->st_size;
	module->symbols[module->count].name = strdup(name);
	if (module->symbols[module->count].name)
		module->count++;
}

static void read_symbols(struct module *module, Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(section, NULL);
		if (!data)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
			int type = GELF_ST_TYPE(symbol.st_info);

			if (name && *name && symbol.st_shndx != SHN_UNDEF &&
			    (type == STT_FUNC || type == STT_GNU_IFUNC))
				add_symbol(module, &symbol, name);
		}
	}
}

static void read_segments(struct module *module, Elf *elf)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count && module->segment_count < 8; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		module->segments[module->segment_count].offset = header.p_offset;
		module->segments[module->segment_count].size = header.p_filesz;
		module->segments[module->segment_count++].address = header.p_vaddr;
	}
}

/* Where Debian and others keep the symbols of a stripped file. False: it names none. */
static bool debug_path(Elf *elf, char *path, size_t size)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		size_t offset = 0, name, description;
		GElf_Shdr header;
		GElf_Nhdr note;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		while (data && (offset = gelf_getnote(data, offset, &note, &name, &description))) {
			const unsigned char *id = (const unsigned char *)data->d_buf + description;
			int length;

			if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz < 2)
				continue;
			length = snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id[0]);
			for (unsigned i = 1; i < note.n_descsz && (size_t)length + 8 < size; i++)
				length +=
				    snprintf(path + length, size - (size_t)length, "%02x", id[i]);
			snprintf(path + length, size - (size_t)length, ".debug");
			return true;
		}
	}
	return false;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* `main`: the file that is mapped itself, not its separate symbols. */
static void read_file(struct module *module, const char *path, bool main)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char separate[256];
	Elf *elf;

	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		read_symbols(module, elf);
		if (main) {
			read_segments(module, elf);
			if (debug_path(elf, separate, sizeof(separate)))
				read_file(module, separate, false);
		}
	}
	elf_end(elf);
	close(fd);
}

static struct module *module_of(struct own_trace_symbols *symbols, const char *path)
{
	struct module *module = symbols->modules;

	while (module && module->path != path)
		module = module->next;
	if (module)
		return module;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	module->path = path;
	module->next = symbols->modules;
	symbols->modules = module;
	if (path[0] == '/' && path[1] != '/')
		read_file(module, path, true);
	if (module->count)
		qsort(module->symbols, module->count, sizeof(*module->symbols), compare_symbols);
	return module;
}

/* File offset to the address in the file's symbol table. */
static __u64 address_in_file(const struct module *module, __u64 offset)
{
	for (int i = 0; i < module->segment_count; i++)
		if (offset - module->segments[i].offset < module->segments[i].size)
			return offset - module->segments[i].offset + module->segments[i].address;
	return offset;
}

static const struct symbol *symbol_at(const struct module *module, __u64 address)
{
	size_t low = 0, high = module->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Aliases and symbols without a size may stand between the address and its function. */
	for (int back = 0; low > 0 && back < 8; back++, low--)
		if (address - module->symbols[low - 1].start < module->symbols[low - 1].size)
			return &module->symbols[low - 1];
	return NULL;
}

struct own_trace_symbols *own_trace_symbols_open(const struct own_trace_options *options)
{
	struct own_trace_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols) {
		own_complain("trace: out of memory");
		return NULL;
	}
	elf_version(EV_CURRENT);
	symbols->mappings = own_trace_mappings_open(options);
	if (symbols->mappings)
		return symbols;
	free(symbols);
	return NULL;
}

void own_trace_symbols_follow(struct own_trace_symbols *symbols, pid_t pid)
{
	own_trace_mappings_follow(symbols->mappings, pid);
}

void own_trace_symbols_poll(struct own_trace_symbols *symbols)
{
	own_trace_mappings_poll(symbols->mappings);
}

__u64 own_trace_symbols_lost(const struct own_trace_symbols *symbols)
{
	return own_trace_mappings_lost(symbols->mappings);
}

bool own_trace_symbols_locate(struct own_trace_symbols *symbols, unsigned tgid, __u64 address,
			      const char **path, __u64 *file_address)
{
	const struct own_trace_mapping *mapping =
	    own_trace_mappings_find(symbols->mappings, (pid_t)tgid, address);
	struct module *module = mapping ? module_of(symbols, mapping->path) : NULL;

	if (!module)
		return false;
	*path = mapping->path;
	*file_address = address_in_file(module, address - mapping->start + mapping->file_offset);
	return true;
}

void own_trace_symbols_find(struct own_trace_symbols *symbols, unsigned tgid, __u64 address,
			    struct own_trace_place *place)
{
	const struct own_trace_mapping *mapping =
	    own_trace_mappings_find(symbols->mappings, (pid_t)tgid, address);
	const struct symbol *symbol = NULL;
	struct module *module;
	const char *base;

	place->module[0] = '\0';
	snprintf(place->name, sizeof(place->name), "0x%llx", (unsigned long long)address);
	if (!mapping)
		return;
	base = strrchr(mapping->path, '/');
	base = base && base[1] ? base + 1 : mapping->path;
	snprintf(place->module, sizeof(place->module), "%s", base);
	module = module_of(symbols, mapping->path);
	if (!module)
		return;
	address = address_in_file(module, address - mapping->start + mapping->file_offset);
	symbol = symbol_at(module, address);
	if (symbol)
		snprintf(place->name, sizeof(place->name), "%s+0x%llx", symbol->name,
			 (unsigned long long)(address - symbol->start));
	else
		snprintf(place->name, sizeof(place->name), "%s+0x%llx", base,
			 (unsigned long long)address);
}

void own_trace_symbols_close(struct own_trace_symbols *symbols)
{
	while (symbols->modules) {
		struct module *module = symbols->modules;

		symbols->modules = module->next;
		for (size_t i = 0; i < module->count; i++)
			free(module->symbols[i].name);
		free(module->symbols);
		free(module);
	}
	own_trace_mappings_close(symbols->mappings);
	free(symbols);
}
