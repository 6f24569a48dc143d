/*
 * A cacheline: who has a copy, and until when it is under way. Accesses are served in the order in
 * which they come; one that needs the line from elsewhere keeps it busy until it has arrived.
 */
#ifndef OWN_MODEL_LINE_H
#define OWN_MODEL_LINE_H

#include "kernel/model/model.h"

struct line {
	double busy_until;
	uint64_t copies[MODEL_MAX_CPUS / 64]; /* CPUs that may read it */
	int16_t owner;			      /* CPU that changed it last; -1: nobody yet */
	bool changed;			      /* only the owner has it */
};

struct interconnect {
	unsigned node_cpus;
	double hit_ns, atomic_ns, local_ns, remote_ns;
	uint64_t transfers;
};

void line_init(struct line *line);
double line_distance(const struct interconnect *net, int from, int to);
/* Both return when the access is done. */
double line_read(struct interconnect *net, struct line *line, int cpu, double now);
double line_change(struct interconnect *net, struct line *line, int cpu, double now);
#endif
