/* The histogram of acquisition times: percentiles stay within a sixteenth of the truth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/latency.h"

static int failures;

static void expect(const char *what, uint64_t got, uint64_t least, uint64_t most)
{
	if (got >= least && got <= most)
		return;
	printf("%s: %ju, not from %ju to %ju\n", what, (uintmax_t)got, (uintmax_t)least,
	       (uintmax_t)most);
	failures++;
}

static void one_to_a_million(void)
{
	static struct own_latency latency;

	for (uint64_t ns = 1; ns <= 1000000; ns++)
		own_latency_add(&latency, ns);
	expect("p50", own_latency_percentile(&latency, 0.5), 500000, 532000);
	expect("p99", own_latency_percentile(&latency, 0.99), 990000, 1000000);
	expect("p99.9", own_latency_percentile(&latency, 0.999), 999000, 1000000);
	expect("maximum", latency.max_ns, 1000000, 1000000);
}

static void small_times_are_exact(void)
{
	static struct own_latency latency;

	for (uint64_t ns = 0; ns < 16; ns++)
		own_latency_add(&latency, ns);
	expect("small p50", own_latency_percentile(&latency, 0.5), 8, 8);
	expect("small maximum", own_latency_percentile(&latency, 1.0), 15, 15);
}

static void extremes_fit(void)
{
	static struct own_latency latency, sum;

	own_latency_add(&latency, UINT64_MAX);
	expect("huge", own_latency_percentile(&latency, 0.5), UINT64_MAX, UINT64_MAX);
	own_latency_merge(&sum, &latency);
	own_latency_merge(&sum, &latency);
	expect("merged", sum.count, 2, 2);
	expect("merged maximum", sum.max_ns, UINT64_MAX, UINT64_MAX);
	memset(&sum, 0, sizeof(sum));
	expect("empty", own_latency_percentile(&sum, 0.5), 0, 0);
}

int main(void)
{
	one_to_a_million();
	small_times_are_exact();
	extremes_fit();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
