/* Names of code addresses, by libdw where the command is built with it. */
#ifndef OWN_TOOLS_SYMBOLS_H
#define OWN_TOOLS_SYMBOLS_H

#include "stats/region.h"

#include <stddef.h>

/*
 * Writes "function+0x12" for a return address within `module`, with the source line if it is known;
 * "module+0x1234" where the file has no symbols or is gone.
 */
void own_symbols_name(const struct own_module *module, uint64_t address, char *name, size_t size);

/* Writes "variable" or "variable+0x28" for the address of data; "" where no symbol covers it. */
void own_symbols_name_data(const struct own_module *module, uint64_t address, char *name,
			   size_t size);

/* Gives the files back. */
void own_symbols_end(void);

#endif
