#include "workloads/latency.h"

static unsigned slot_of(uint64_t ns)
{
	unsigned exponent;

	if (ns < 16)
		return (unsigned)ns;
	exponent = 63U - (unsigned)__builtin_clzll(ns);
	return (exponent - 3) * 16 + (unsigned)((ns >> (exponent - 4)) & 15);
}

/* The largest time that falls into the slot. */
static uint64_t slot_end(unsigned slot)
{
	unsigned exponent;

	if (slot < 16)
		return slot;
	exponent = slot / 16 + 3;
	return ((uint64_t)(16 + slot % 16 + 1) << (exponent - 4)) - 1;
}

void own_latency_add(struct own_latency *latency, uint64_t ns)
{
	latency->count++;
	latency->slots[slot_of(ns)]++;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
}

void own_latency_merge(struct own_latency *into, const struct own_latency *from)
{
	into->count += from->count;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (unsigned i = 0; i < OWN_LATENCY_SLOTS; i++)
		into->slots[i] += from->slots[i];
}

uint64_t own_latency_percentile(const struct own_latency *latency, double share)
{
	uint64_t wanted = (uint64_t)((double)latency->count * share);
	uint64_t seen = 0;

	for (unsigned i = 0; i < OWN_LATENCY_SLOTS; i++) {
		seen += latency->slots[i];
		if (seen > wanted || (seen && seen == latency->count))
			return slot_end(i) < latency->max_ns ? slot_end(i) : latency->max_ns;
	}
	return 0;
}
