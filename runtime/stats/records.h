/* The table of lock records inside a segment; the process's own is reached by counters.h. */
#ifndef OWN_STATS_RECORDS_H
#define OWN_STATS_RECORDS_H

#include "stats/region.h"

/* As own_record_find, in a segment of the caller's choice. */
struct own_lock_record *own_record_find_in(struct own_segment *segment, uint64_t object,
					   uint64_t site, enum own_object_kind kind);

/* The name of an object in `segment`, NULL if it has none. */
const char *own_record_name(const struct own_segment *segment, uint64_t object);

/* Takes the names of `from` over into a fresh segment, as a fork child needs them. */
void own_records_copy_names(struct own_segment *to, const struct own_segment *from);

#endif
