#include "kernel/model/line.h"

#include <string.h>

void line_init(struct line *line)
{
	memset(line, 0, sizeof(*line));
	line->owner = -1;
}

double line_distance(const struct interconnect *net, int from, int to)
{
	if (from == to)
		return 0;
	return (unsigned)from / net->node_cpus == (unsigned)to / net->node_cpus ? net->local_ns
										: net->remote_ns;
}

static bool has_copy(const struct line *line, int cpu)
{
	return line->copies[cpu / 64] >> (cpu % 64) & 1;
}

static void add_copy(struct line *line, int cpu)
{
	line->copies[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

double line_read(struct interconnect *net, struct line *line, int cpu, double now)
{
	double start = line->busy_until > now ? line->busy_until : now;
	double done;

	if (has_copy(line, cpu))
		return now + net->hit_ns;
	net->transfers++;
	/* From memory, as far as from a neighbour: only the first access of all. */
	done = start + (line->owner < 0 ? net->local_ns : line_distance(net, line->owner, cpu));
	/* Copies of a line that nobody is changing are handed out side by side. */
	if (line->changed)
		line->busy_until = done;
	line->changed = false;
	add_copy(line, cpu);
	return done;
}

/* The farthest copy that has to go decides how long it takes. */
static double farthest_copy(const struct interconnect *net, const struct line *line, int cpu)
{
	double longest = 0;

	for (int word = 0; word < MODEL_MAX_CPUS / 64; word++) {
		for (uint64_t rest = line->copies[word]; rest; rest &= rest - 1) {
			double distance =
			    line_distance(net, word * 64 + __builtin_ctzll(rest), cpu);

			if (distance > longest)
				longest = distance;
		}
	}
	return longest;
}

double line_change(struct interconnect *net, struct line *line, int cpu, double now)
{
	double start = line->busy_until > now ? line->busy_until : now;
	double transfer = 0;

	if (line->owner < 0)
		transfer = net->local_ns;
	else if (!line->changed || line->owner != cpu)
		transfer = farthest_copy(net, line, cpu);
	if (transfer > 0)
		net->transfers++;
	memset(line->copies, 0, sizeof(line->copies));
	add_copy(line, cpu);
	line->owner = (int16_t)cpu;
	line->changed = true;
	line->busy_until = start + transfer + net->atomic_ns;
	return line->busy_until;
}
