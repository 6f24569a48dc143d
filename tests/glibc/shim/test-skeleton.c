/* Included by older tests at their end: TEST_FUNCTION is a call. */
#include "harness.h"

#ifndef TIMEOUT
#define TIMEOUT 20
#endif
#ifndef TEST_FUNCTION
#define TEST_FUNCTION do_test(shim_argc, shim_argv)
#endif
#ifndef EXPECTED_STATUS
#define EXPECTED_STATUS 0
#endif
#ifndef EXPECTED_SIGNAL
#define EXPECTED_SIGNAL 0
#endif

static int shim_argc;
static char **shim_argv;

static int shim_function(void)
{
	(void)shim_argc;
	(void)shim_argv;
	return TEST_FUNCTION;
}

int main(int argc, char **argv)
{
	const struct shim_test test = {shim_function, TIMEOUT, EXPECTED_STATUS, EXPECTED_SIGNAL};

	shim_argc = argc;
	shim_argv = argv;
#ifdef PREPARE
	PREPARE(argc, argv);
#endif
	return shim_main(argc, argv, &test);
}
