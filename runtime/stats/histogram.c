#include "stats/histogram.h"

unsigned own_histogram_bucket(uint64_t ns)
{
	unsigned bucket = 0;

	if (ns > 1)
		bucket = 63u - (unsigned)__builtin_clzll(ns);
	return bucket < OWN_HISTOGRAM_BUCKETS ? bucket : OWN_HISTOGRAM_BUCKETS - 1;
}

uint64_t own_histogram_start(unsigned bucket)
{
	return bucket == 0 ? 0 : UINT64_C(1) << bucket;
}
