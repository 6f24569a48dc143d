/* Included by newer tests at their end: TEST_FUNCTION is a function. */
#include "harness.h"

#include <getopt.h>

#ifndef TIMEOUT
#define TIMEOUT 20
#endif
#ifndef TEST_FUNCTION
#define TEST_FUNCTION do_test
#endif

int main(int argc, char **argv)
{
	const struct shim_test test = {TEST_FUNCTION, TIMEOUT, 0, 0};

#ifdef CMDLINE_OPTIONS
	static const struct option options[] = {CMDLINE_OPTIONS{0}};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		CMDLINE_PROCESS(option);
#endif
#ifdef PREPARE
	PREPARE(argc, argv);
#endif
	return shim_main(argc, argv, &test);
}
