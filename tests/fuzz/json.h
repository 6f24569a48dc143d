/* Whether a text is one JSON value of RFC 8259 and nothing else but white space. */
#ifndef TESTS_FUZZ_JSON_H
#define TESTS_FUZZ_JSON_H

#include <stdbool.h>
#include <stddef.h>

bool json_is_valid(const char *text, size_t length);

#endif
