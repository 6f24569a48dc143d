/* The table of mapped ELF files inside a segment. */
#ifndef OWN_STATS_MODULES_H
#define OWN_STATS_MODULES_H

#include "stats/region.h"

/* Whether a module of the table holds a code address. */
bool own_module_is_known(const struct own_segment *segment, uint64_t address);

/* The module that holds a code address, with its path; NULL if none is known. */
const struct own_module *own_module_find(const struct own_segment *segment, uint64_t address);

void own_modules_copy(struct own_segment *to, const struct own_segment *from);

#endif
