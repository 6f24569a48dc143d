/*
 * The ELF files mapped by a process, read from outside: names for call sites in libraries that the
 * process has loaded since it last listed its modules.
 */
#ifndef OWN_TOOLS_PROCESS_MODULES_H
#define OWN_TOOLS_PROCESS_MODULES_H

#include "stats/region.h"

#include <stddef.h>

struct own_process_modules {
	struct own_module *modules;
	size_t count;
	size_t room;
};

/* Adds what /proc/<pid>/maps shows and is not known yet. False: the process is gone. */
bool own_process_modules_read(struct own_process_modules *known, int pid);

const struct own_module *own_process_modules_find(const struct own_process_modules *known,
						  uint64_t address);
void own_process_modules_free(struct own_process_modules *known);

#endif
