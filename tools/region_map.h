/* The launcher's side of a region: makes it, and maps the segments that processes have taken. */
#ifndef OWN_TOOLS_REGION_MAP_H
#define OWN_TOOLS_REGION_MAP_H

#include "stats/region.h"

#include <stddef.h>

struct own_region_map {
	int fd; /* close-on-exec; the child clears that for itself */
	struct own_region *header;
	struct own_segment *segments[OWN_REGION_SEGMENTS]; /* NULL: not mapped yet */
};

/* Makes a sparse region for OWN_REGION_SEGMENTS processes. Returns 0 or a positive errno. */
OWN_MUST_CHECK int own_region_map_create(struct own_region_map *map);

/* Unmaps and closes it; programs that still run keep theirs. */
void own_region_map_destroy(struct own_region_map *map);

/* How many segments have ever been taken. */
size_t own_region_map_used(const struct own_region_map *map);

/*
 * The segment `index`, mapped when first asked for. NULL: it is not in use yet, or cannot be
 * mapped.
 */
struct own_segment *own_region_map_segment(struct own_region_map *map, size_t index);

/* Clears a segment that nobody uses any more, and gives it back. */
void own_region_map_return(struct own_region_map *map, size_t index);

/* The value of OWN_REGION_ENVIRONMENT for a child; `size` of 96 suffices. */
void own_region_map_describe(const struct own_region_map *map, char *text, size_t size);

#endif
