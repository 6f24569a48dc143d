#include "tools/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;

	return (left > right) - (left < right);
}

struct own_spread own_spread_of(double *values, size_t count)
{
	struct own_spread spread = {.count = count};

	if (count == 0)
		return spread;
	qsort(values, count, sizeof(values[0]), by_value);
	spread.low = values[count / 6];
	spread.high = values[count - 1 - count / 6];
	spread.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	return spread;
}

bool own_spreads_are_apart(const struct own_spread *a, const struct own_spread *b)
{
	return a->high < b->low || b->high < a->low;
}

void own_format_number(double value, char *text, size_t size)
{
	double magnitude = fabs(value);

	if (magnitude >= 1e12 || (magnitude > 0 && magnitude < 1e-6))
		snprintf(text, size, "%.3e", value);
	else if (value == floor(value) || magnitude >= 1000)
		snprintf(text, size, "%.0f", value);
	else if (magnitude >= 100)
		snprintf(text, size, "%.1f", value);
	else if (magnitude >= 10)
		snprintf(text, size, "%.2f", value);
	else if (magnitude >= 1)
		snprintf(text, size, "%.3f", value);
	else if (magnitude >= 0.01)
		snprintf(text, size, "%.4f", value);
	else
		snprintf(text, size, "%.6f", value);
}
