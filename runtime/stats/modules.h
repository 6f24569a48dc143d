/* The table of mapped ELF files inside a segment. */
#ifndef OWN_STATS_MODULES_H
#define OWN_STATS_MODULES_H

#include "stats/region.h"

/* The module that holds a code address, NULL if none is known. */
const struct own_module *own_module_find(const struct own_segment *segment, uint64_t address);

void own_modules_copy(struct own_segment *to, const struct own_segment *from);

#endif
