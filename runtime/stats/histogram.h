/* Log2 histograms of durations: see OWN_HISTOGRAM_BUCKETS for what a bucket holds. */
#ifndef OWN_STATS_HISTOGRAM_H
#define OWN_STATS_HISTOGRAM_H

#include "stats/region.h"

/* The bucket that counts a duration; the last one takes everything longer as well. */
unsigned own_histogram_bucket(uint64_t ns);

/* The shortest duration that a bucket counts. */
uint64_t own_histogram_start(unsigned bucket);

#endif
