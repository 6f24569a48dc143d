/* What the model says where nothing was published. */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/model/published.h"

/* What a fleet would ask: the same designs at several shares of mismatches. */
static void print_shares(uint64_t seed)
{
	static const char *const machines[] = {"guest16", "host80", "gb200"};
	static const char *const designs[] = {"private", "precheck", "trylock", "private-lean"};
	static const double shares[] = {5, 50, 100};

	printf("\n| machine, mismatches | private | precheck (A) | trylock (B) | lean (D) |\n"
	       "| --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (unsigned j = 0; j < sizeof(shares) / sizeof(shares[0]); j++) {
			printf("| %s, %.0f %% |", machines[i], shares[j]);
			for (unsigned k = 0; k < sizeof(designs) / sizeof(designs[0]); k++) {
				struct model_parameters p;
				struct model_result result;

				model_machine(machines[i], &p);
				p.buckets = 16;
				p.mismatch = shares[j];
				p.warm_up = 32;
				p.operations = 96;
				p.seed = (double)seed;
				if (model_run(&p, model_find_design(designs[k]), WORKLOAD_HASH,
					      &result))
					exit(1);
				printf(" %.0f |", result.per_thread);
			}
			printf("\n");
		}
	}
}

/* A way to lock: what the kernel does, and what ownline would do otherwise. */
struct locking {
	const char *title, *design;
	bool one_wake, for_two;
};

/* `own-workload mutex N 50 100`, and `mutex N 500 500`. */
static const double works[][2] = {{25, 50}, {250, 250}};

static void print_mutex(const struct locking *locking, const double work[2], double threads,
			uint64_t seed)
{
	struct model_parameters p;
	struct model_result r;

	model_machine("guest16", &p);
	p.threads = threads;
	p.section_ns = work[0];
	p.outside_ns = work[1];
	p.buckets = 64;
	p.warm_up = 200;
	p.operations = 2000;
	p.seed = (double)seed;
	p.one_wake = locking->one_wake;
	if (locking->for_two) {
		p.patient_ns = 50;
		p.count_all = 0;
	}
	if (model_run(&p, model_find_design(locking->design), WORKLOAD_MUTEX, &r))
		exit(1);
	printf(" %.2f M/s, %.0f waits, %.0f mismatched |", r.total / 1e6,
	       1000 * r.waits / r.operations, 1000 * r.mismatches / r.operations);
}

static void print_mutexes(uint64_t seed)
{
	static const struct locking ways[] = {
	    {.title = "glibc, private", .design = "private"},
	    {.title = "glibc, precheck (A)", .design = "precheck"},
	    {.title = "glibc, trylock (B)", .design = "trylock"},
	    {.title = "ownline", .design = "ownline"},
	    {.title = "ownline, one wake", .design = "ownline", .one_wake = true},
	    {.title = "ownline, as on two CPUs", .design = "ownline", .for_two = true},
	};
	enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
	static const double threads[] = {2, 4, 8, 16, 32};

	printf("\n| threads, ns inside and outside |");
	for (unsigned k = 0; k < WAYS; k++)
		printf(" %s |", ways[k].title);
	printf("\n| --- | --- | --- | --- | --- | --- | --- |\n");
	for (unsigned w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
		for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
			printf("| %.0f, %.0f and %.0f |", threads[i], works[w][0], works[w][1]);
			for (unsigned k = 0; k < WAYS; k++)
				print_mutex(&ways[k], works[w], threads[i], seed);
			printf("\n");
		}
	}
	puts("\n"
	     "ownline's rules were found by measuring on two CPUs. With more of them, every look "
	     "at the\n"
	     "mutex and every woken waiter that comes too late takes the mutex's line from its "
	     "owner,\n"
	     "while glibc's threads stand at the bucket's lock and leave it alone. So ownline's "
	     "spinners\n"
	     "stay away from a mutex that is taken meanwhile for longer the more CPUs there are "
	     "(25 ns\n"
	     "for each, at most 400, and up to 128 times that), and on more than two of them "
	     "whoever\n"
	     "takes the mutex counts as taking it, so that it is known to be rushed beside a "
	     "queue, too.\n"
	     "The last column is ownline without these two (`--patient-ns 50 --count-all 0`), as "
	     "it is\n"
	     "on two CPUs. Longer pauses let one thread do more sections in a row. `--one-wake 1` "
	     "is\n"
	     "ownline if nobody were woken while somebody is on his way. The model counts crowding "
	     "on\n"
	     "one line too dearly (S1, `-b 2`), and nobody has measured any of this: try\n"
	     "`own-workload mutex 16 50 100` and `mutex 16 500 500` with and without ownline where "
	     "there\n"
	     "are the CPUs.");
}

void model_predict(uint64_t seed)
{
	printf("\n## Where nothing was published\n\n"
	       "Waits per second and thread, a thread per CPU, a private hash of 16 buckets, by\n"
	       "share of mismatches. The others queue and time out at once. A hash of few buckets\n"
	       "shows what crowding does; a real one has four per thread:\n");
	print_shares(seed);
	printf("\nOne mutex on guest16, 64 buckets; waits and mismatches per 1000 locks. A failed "
	       "wait\n"
	       "that costs less is tried more often:\n");
	print_mutexes(seed);
}
