/*
 * A fuzz target: LLVMFuzzerTestOneInput in a file fuzz_NAME.c. In a build for libFuzzer it is
 * driven by that; in every other build main.c runs it over the files of its corpus.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert: nothing may switch it off. */
#define FUZZ_CHECK(condition)                                                                      \
	((condition)                                                                               \
	     ? (void)0                                                                             \
	     : (fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
