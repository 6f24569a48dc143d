/* A process's way into a launcher's region. */
#ifndef OWN_STATS_REGION_JOIN_H
#define OWN_STATS_REGION_JOIN_H

#include "stats/region.h"

#define OWN_NO_SEGMENT UINT32_MAX

/*
 * A descriptor of the region that the environment names, or -1. `opened`: it is the caller's to
 * close; else it belongs to the program and its children.
 */
int own_region_open(bool *opened);

/* Maps the header of a region after checking it; NULL if it is none, or of another version. */
struct own_region *own_region_map_header(int fd);

/* True if the launcher cannot tell by its number whether this process lives. */
bool own_region_is_foreign(const struct own_region *region);

/* Takes a free segment; OWN_NO_SEGMENT, and counted as refused, when there is none. */
uint32_t own_region_take(struct own_region *region);

/* Gives a segment back, which has to be all zero, as one of a process that counted nothing. */
void own_region_return(struct own_region *region, uint32_t index);

/* Gives a segment back that could not be mapped: the process is counted as refused. */
void own_region_refuse(struct own_region *region, uint32_t index);

#endif
