#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "stats/modules.h"

#include "stats/counters.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct scan {
	struct own_segment *segment;
	uint32_t count;
};

static void set_path(struct own_module *module, const char *name, bool first)
{
	size_t length;

	if (first && name[0] == '\0') {
		ssize_t got = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);

		module->path[got > 0 ? got : 0] = '\0';
		return;
	}
	length = strnlen(name, sizeof(module->path) - 1);
	memcpy(module->path, name, length);
	module->path[length] = '\0';
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct scan *scan = context;
	struct own_module *module;
	uint64_t start = UINT64_MAX;
	uint64_t end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD)
			continue;
		if (part->p_vaddr < start)
			start = part->p_vaddr;
		if (part->p_vaddr + part->p_memsz > end)
			end = part->p_vaddr + part->p_memsz;
	}
	if (end == 0 || strncmp(info->dlpi_name, "linux-vdso", 10) == 0)
		return 0;
	if (scan->count == OWN_MODULES)
		return 1;
	module = &scan->segment->modules[scan->count];
	module->bias = info->dlpi_addr;
	/* Threads that still run may look an address up meanwhile: they miss or find a module, and
	 * at worst ask for one scan more. */
	own_store_relaxed(&module->start, module->bias + start);
	own_store_relaxed(&module->end, module->bias + end);
	set_path(module, info->dlpi_name, scan->count == 0);
	scan->count++;
	return 0;
}

void own_stats_scan_modules(void)
{
	int saved = errno;
	struct scan scan = {own_stats_segment(), 0};

	/* Before the walk: a module that is loaded meanwhile makes the table stale again. */
	own_store_relaxed(&scan.segment->modules_stale, 0);
	dl_iterate_phdr(add_module, &scan);
	own_store_release(&scan.segment->module_count, scan.count);
	errno = saved;
}

static const struct own_module *holder(const struct own_segment *segment, uint64_t address)
{
	uint32_t count = own_load_acquire(&segment->module_count);

	for (uint32_t i = 0; i < count && i < OWN_MODULES; i++) {
		const struct own_module *module = &segment->modules[i];

		if (address >= own_load_relaxed(&module->start) &&
		    address < own_load_relaxed(&module->end))
			return module;
	}
	return NULL;
}

bool own_module_is_known(const struct own_segment *segment, uint64_t address)
{
	return holder(segment, address) != NULL;
}

const struct own_module *own_module_find(const struct own_segment *segment, uint64_t address)
{
	const struct own_module *module = holder(segment, address);

	/* A reader of another process's memory believes nothing: the path has to end. */
	if (module != NULL && memchr(module->path, '\0', sizeof(module->path)) == NULL)
		return NULL;
	return module;
}

void own_modules_copy(struct own_segment *to, const struct own_segment *from)
{
	uint32_t count = own_load_relaxed(&from->module_count);

	if (count > OWN_MODULES)
		count = OWN_MODULES;
	memcpy(to->modules, from->modules, count * sizeof(to->modules[0]));
	own_store_relaxed(&to->modules_stale, own_load_relaxed(&from->modules_stale));
	own_store_release(&to->module_count, count);
}
