#include "base/panic.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void own_panic(const char *message, const void *address)
{
	static const char prefix[] = "ownline: ";
	static const char digits[] = "0123456789abcdef";
	char hex[] = " (0x0000000000000000)\n";
	uintptr_t value = (uintptr_t)address;

	for (size_t i = 0; i < 2 * sizeof(value); i++) {
		hex[3 + 2 * sizeof(value) - i] = digits[value & 15];
		value >>= 4;
	}
	/* Nothing can be done about a failed write here: the abort follows either way. */
	if (write(STDERR_FILENO, prefix, sizeof(prefix) - 1) < 0 ||
	    write(STDERR_FILENO, message, strlen(message)) < 0 ||
	    write(STDERR_FILENO, hex, sizeof(hex) - 1) < 0)
		abort();
	abort();
}
