/* Names of calling sites that fit a column. */
#ifndef OWN_STATS_SHORTEN_H
#define OWN_STATS_SHORTEN_H

#include <stddef.h>

/*
 * Makes "symbol+0xoffset (file:line)" at most `limit` bytes long, if it is longer: first what
 * stands in <> and () of a C++ symbol gives way to "...", then the symbol's end. Offset and line
 * stay, for they are what finds the place; a name without an offset is left alone.
 */
void own_shorten_site(char *name, size_t limit);

#endif
