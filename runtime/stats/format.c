#include "stats/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct own_figure own_figure_time(uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	struct own_figure figure;
	size_t unit = 0;
	uint64_t scale = 1;

	while (unit < 3 && ns / scale >= 1000) {
		scale *= 1000;
		unit++;
	}
	if (unit == 0 || ns / scale >= 100)
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 " %s", ns / scale,
			 units[unit]);
	else if (ns / scale >= 10)
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%" PRIu64 " %s", ns / scale,
			 ns % scale * 10 / scale, units[unit]);
	else
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%02" PRIu64 " %s",
			 ns / scale, ns % scale * 100 / scale, units[unit]);
	return figure;
}

struct own_figure own_figure_share(uint64_t part, uint64_t whole)
{
	struct own_figure figure;
	uint64_t hundredths;

	if (whole == 0) {
		strcpy(figure.text, "-");
		return figure;
	}
	/* Keeps the product below in range; what is cut off does not show in four digits. */
	while (whole > UINT64_C(1) << 50) {
		whole >>= 1;
		part >>= 1;
	}
	hundredths = part * 10000 / whole;
	if (part > 0 && hundredths == 0)
		strcpy(figure.text, "<0.01 %");
	else if (hundredths > 0 && (hundredths < 10 || (hundredths > 9990 && hundredths < 10000)))
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%02" PRIu64 " %%",
			 hundredths / 100, hundredths % 100);
	else
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%" PRIu64 " %%",
			 hundredths / 100, hundredths / 10 % 10);
	return figure;
}

struct own_figure own_figure_count(uint64_t count)
{
	struct own_figure figure;
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t used = 0;

	/* Twenty digits and six blanks do not fit: such counts lose their blanks. */
	if (length > 17) {
		memcpy(figure.text, digits, (size_t)length + 1);
		return figure;
	}
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			figure.text[used++] = ' ';
		figure.text[used++] = digits[i];
	}
	figure.text[used] = '\0';
	return figure;
}

struct own_figure own_figure_power(uint64_t value)
{
	static const char units[] = {'\0', 'K', 'M', 'G', 'T'};
	struct own_figure figure;
	size_t unit = 0;

	while (value >= 1024 && unit < sizeof(units) - 1) {
		value /= 1024;
		unit++;
	}
	snprintf(figure.text, sizeof(figure.text), "%" PRIu64 "%c", value, units[unit]);
	return figure;
}
