/* Medians, ranges and the layout of numbers. */
#include "tools/statistics.h"

#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                           \
	((condition)                                                                               \
	     ? (void)0                                                                             \
	     : (void)(failures++, printf("%s:%d: false: %s\n", __FILE__, __LINE__, #condition)))

static struct own_spread of(size_t count, const double *given)
{
	double values[16];

	memcpy(values, given, count * sizeof(values[0]));
	return own_spread_of(values, count);
}

static void check_spreads(void)
{
	static const double three[] = {3, 1, 2};
	static const double four[] = {4, 1, 3, 10};
	static const double six[] = {5, 4, 100, 3, 6, -50};
	static const double twelve[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	struct own_spread none = of(0, three);
	struct own_spread spread = of(3, three);

	CHECK(none.count == 0);
	CHECK(spread.count == 3 && spread.median == 2 && spread.low == 1 && spread.high == 3);
	spread = of(4, four);
	CHECK(spread.median == 3.5 && spread.low == 1 && spread.high == 10);
	/* The disturbed ones are left out. */
	spread = of(6, six);
	CHECK(spread.median == 4.5 && spread.low == 3 && spread.high == 6);
	spread = of(12, twelve);
	CHECK(spread.low == 3 && spread.high == 10);
}

static void check_ranges(void)
{
	struct own_spread a = {3, 2, 1, 3};
	struct own_spread above = {3, 5, 3.5, 6};
	struct own_spread touches = {3, 4, 3, 5};

	CHECK(own_spreads_are_apart(&a, &above) && own_spreads_are_apart(&above, &a));
	CHECK(!own_spreads_are_apart(&a, &touches) && !own_spreads_are_apart(&a, &a));
}

static void check_number(double value, const char *wanted)
{
	char text[32];

	own_format_number(value, text, sizeof(text));
	if (strcmp(text, wanted) == 0)
		return;
	printf("%g: got %s, wanted %s\n", value, text, wanted);
	failures++;
}

int main(void)
{
	check_spreads();
	check_ranges();
	check_number(0, "0");
	check_number(7, "7");
	check_number(-7, "-7");
	check_number(1234567, "1234567");
	check_number(1234.56, "1235");
	check_number(123.456, "123.5");
	check_number(12.3456, "12.35");
	check_number(1.23456, "1.235");
	check_number(0.123456, "0.1235");
	check_number(0.00123456, "0.001235");
	check_number(1.5e-9, "1.500e-09");
	check_number(3e20, "3.000e+20");
	return failures > 0;
}
