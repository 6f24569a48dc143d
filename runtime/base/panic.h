/* The end of a process whose lock state is corrupt: one line on stderr, then abort. */
#ifndef OWN_BASE_PANIC_H
#define OWN_BASE_PANIC_H

#include "base/compiler.h"

/*
 * Writes "ownline: <message> (<address>)" with write(2) and aborts. Takes no lock and allocates
 * nothing, so that it works from within any lock path.
 */
OWN_NORETURN OWN_COLD void own_panic(const char *message, const void *address);

#endif
