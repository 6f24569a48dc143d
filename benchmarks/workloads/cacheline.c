/*
 * How far two CPUs are apart: what any lock between them can show. Under a hypervisor that moves
 * its virtual CPUs this changes by the second.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/catalogue.h"
#include "workloads/pin.h"

#define BATCH	100 /* rounds between two looks at the clock, which then costs about 1 % */
#define WARM_UP 20  /* batches: until both threads run, on CPUs that are awake */

struct cacheline {
	alignas(OWN_APART) atomic_uint turn;
	alignas(OWN_APART) cpu_set_t allowed;
	size_t batches; /* with those to warm up */
	double *one_way_ns;
};

static void setup_cacheline(struct own_run *run)
{
	struct cacheline *line = own_allocate(1, sizeof(*line));

	if (run->arguments[0] < BATCH)
		own_fail("cacheline: at least %d rounds, not %ld", BATCH, run->arguments[0]);
	if (sched_getaffinity(0, sizeof(line->allowed), &line->allowed))
		own_fail("cacheline: cannot read the CPU affinity mask");
	if (CPU_COUNT(&line->allowed) < 2)
		own_fail(
		    "cacheline: it takes two CPUs, and this process may use one only; allow more "
		    "of them (taskset -c 0,1)");
	line->batches = WARM_UP + (size_t)run->arguments[0] / BATCH;
	line->one_way_ns = own_allocate(line->batches, sizeof(*line->one_way_ns));
	run->thread_count = 1;
	run->options.pin = true;
	run->state = line;
}

/* By atomic exchange, as a lock is taken: after a plain store the line comes back later. */
static void bounce_batch(atomic_uint *turn, unsigned side)
{
	for (int i = 0; i < BATCH; i++) {
		while (atomic_load_explicit(turn, memory_order_acquire) != side) {
		}
		atomic_exchange_explicit(turn, !side, memory_order_acq_rel);
	}
}

static void *other_side(void *argument)
{
	struct cacheline *line = argument;

	own_pin(&line->allowed, 1);
	for (size_t i = 0; i < line->batches; i++)
		bounce_batch(&line->turn, 1);
	return NULL;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The median of the batches: one in which somebody else had the CPU doesn't count. */
static void thread_cacheline(struct own_run *run, struct own_thread *self)
{
	struct cacheline *line = run->state;
	size_t measured = line->batches - WARM_UP;
	uint64_t before = own_now_ns();
	pthread_t other;
	int error = pthread_create(&other, NULL, other_side, line);

	if (error)
		own_fail("cacheline: cannot create a thread: %s", strerror(error));
	own_pin(&line->allowed, 0);
	for (size_t i = 0; i < line->batches; i++) {
		uint64_t now;

		bounce_batch(&line->turn, 0);
		now = own_now_ns();
		line->one_way_ns[i] = (double)(now - before) / (2 * BATCH);
		before = now;
	}
	pthread_join(other, NULL);
	qsort(line->one_way_ns + WARM_UP, measured, sizeof(*line->one_way_ns), compare);
	run->one_way_ns = line->one_way_ns[WARM_UP + measured / 2];
	own_count(self, 2 * BATCH * line->batches);
}

static void teardown_cacheline(struct own_run *run)
{
	struct cacheline *line = run->state;

	free(line->one_way_ns);
	free(line);
}

const struct own_workload own_workload_cacheline = {
    .name = "cacheline",
    .usage = "[ROUNDS]",
    .help = "how long a cacheline takes from one CPU to another: two threads on the first two\n"
	    "      CPUs hand it to and fro for ROUNDS (whatever --pin and --seconds say)",
    .arguments = 1,
    .defaults = {4000},
    .alone = true,
    .kernel = true,
    .setup = setup_cacheline,
    .thread = thread_cacheline,
    .teardown = teardown_cacheline,
};
