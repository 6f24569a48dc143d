/* The model against what was published, and what it says where nothing was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/model/published.h"

#define CALIBRATION_ROUNDS 3
#define BISECTIONS	   14
#define MOST_OFF	   0.02 /* a calibrated figure may be off by so much */

static double values[64];

/* How many predictions came within 10 and 25 per cent. */
struct tally {
	unsigned all, within_10, within_25;
};
static struct tally rate_tally, ratio_tally;

static void count_error(struct tally *tally, double error)
{
	tally->all++;
	tally->within_10 += fabs(error) <= 0.10;
	tally->within_25 += fabs(error) <= 0.25;
}

static void print_tally(const struct tally *tally)
{
	printf("\n%u of %u predictions are within 10 %%, %u within 25 %%.\n", tally->within_10,
	       tally->all, tally->within_25);
}

static double value_of(const char *name)
{
	return values[model_find_row(name) - model_rows];
}

static double published_of(const char *name)
{
	return model_find_row(name)->published;
}

/* The rate falls as the parameter rises. */
static double bisect(struct machine *machine, const struct calibration *calibration, uint64_t seed)
{
	const struct row *row = model_find_row(calibration->row);
	double *field = (double *)((char *)&machine->parameters + calibration->offset);
	double low = *field / 4, high = *field * 4;

	for (int i = 0; i < BISECTIONS; i++) {
		*field = (low + high) / 2;
		if (model_row_run(row, seed) > row->published)
			low = *field;
		else
			high = *field;
	}
	return *field;
}

void model_calibrate(uint64_t seed)
{
	for (unsigned i = 0; i < model_machine_count; i++) {
		struct machine *machine = &model_machines[i];

		for (int round = 0; round < CALIBRATION_ROUNDS; round++) {
			for (unsigned j = 0; j < MODEL_CALIBRATED && machine->calibrated[j].row;
			     j++) {
				fprintf(stderr, "\r%s: round %d of %d, %s   ", machine->name,
					round + 1, CALIBRATION_ROUNDS, machine->calibrated[j].name);
				bisect(machine, &machine->calibrated[j], seed);
			}
		}
		fprintf(stderr, "\r%60s\r", "");
		for (unsigned j = 0; j < MODEL_CALIBRATED && machine->calibrated[j].row; j++)
			printf("%s %s %.5g\n", machine->name, machine->calibrated[j].name,
			       *(double *)((char *)&machine->parameters +
					   machine->calibrated[j].offset));
		fflush(stdout);
	}
}

static bool print_rates(uint64_t seed)
{
	bool right = true;

	printf("| figure | what | design | published | model | error |\n"
	       "| --- | --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < model_row_count; i++) {
		const struct row *row = &model_rows[i];
		double error;

		values[i] = model_row_run(row, seed);
		error = values[i] / row->published - 1;
		printf("| %s | %s | `%s` | %.0f | %.0f |", row->name, row->what, row->design,
		       row->published, values[i]);
		if (!model_row_is_calibration(row)) {
			count_error(&rate_tally, error);
			printf(" %+.1f %% |\n", 100 * error);
		} else {
			printf(" calibrated |\n");
			right = right && fabs(error) <= MOST_OFF;
		}
		fflush(stdout);
	}
	print_tally(&rate_tally);
	return right;
}

static void print_ratio(const char *what, const char *after, const char *before)
{
	const double published = published_of(after) / published_of(before);
	const double model = value_of(after) / value_of(before);

	printf("| %s | %.3f | %.3f |", what, published, model);
	if (model_row_is_calibration(model_find_row(after)) &&
	    model_row_is_calibration(model_find_row(before))) {
		printf(" calibrated |\n");
		return;
	}
	count_error(&ratio_tally, model / published - 1);
	printf(" %+.1f %% |\n", 100 * (model / published - 1));
}

static double bounce(const char *design, double cpus, uint64_t seed)
{
	struct model_parameters p;
	struct model_result result;

	model_machine("zen3", &p);
	p.cpus = cpus;
	p.seed = (double)seed;
	p.operations = 5000;
	if (model_run(&p, model_find_design(design), WORKLOAD_BOUNCE, &result))
		exit(1);
	return result.total;
}

/* What one look at the word would have to cost to slow a turn down as published. */
static void print_look_price(double published, uint64_t seed)
{
	const double turn_ns = 1e9 / bounce("private", 1, seed);

	printf(
	    "\nFor a loss of %.0f %% on one CPU, where nothing hides it, fix A's look would have "
	    "to cost\n%.0f ns of a turn of %.0f ns.\n",
	    100 * (1 - published), turn_ns * (1 / published - 1), turn_ns);
}

static void print_bounce(const char *what, const char *design, double published, uint64_t seed)
{
	for (double cpus = 2; cpus >= 1; cpus--) {
		const double model = bounce(design, cpus, seed) / bounce("private", cpus, seed);

		count_error(&ratio_tally, model / published - 1);
		printf("| S2: two-thread bounce, %s, on %.0f CPU%s | %.3f | %.3f | %+.1f %% |\n",
		       what, cpus, cpus > 1 ? "s" : "", published, model,
		       100 * (model / published - 1));
	}
}

static double mutexes(const char *design, uint64_t seed)
{
	struct model_parameters p;
	struct model_result result;

	/* 10 processes of 250 threads that chat, on four CPUs. */
	model_machine("xeon4", &p);
	p.threads = 2500;
	p.message_ns = 5000;
	p.seed = (double)seed;
	p.warm_up = 5;
	p.operations = 20;
	if (model_run(&p, model_find_design(design), WORKLOAD_CHAT, &result))
		exit(1);
	return result.total;
}

static void print_ratios(uint64_t seed)
{
	const double aligned = mutexes("aligned2003", seed) / mutexes("packed2003", seed);

	printf("\n| ratio | published | model | error |\n| --- | --- | --- | --- |\n");
	print_ratio("S1: fix A, `-b 2`", "S1.two.A", "S1.two.base");
	print_ratio("S1: fix A, `-b 0`", "S1.global.A", "S1.global.base");
	print_ratio("S1: fix A, `-b 0 -S`", "S1.shared.A", "S1.shared.base");
	print_ratio("S3: private over global, 1 thread", "S3.private.1", "S3.global.1");
	print_ratio("S3: private over global, 10 threads", "S3.private.10", "S3.global.10");
	print_ratio("S3: private over global, 40 threads", "S3.private.40", "S3.global.40");
	print_ratio("S3: private over global, 80 threads", "S3.private.80", "S3.global.80");
	print_ratio("S4: fix D, GB200", "S4.gb200.lean", "S4.gb200.base");
	print_ratio("S4: chain head apart, EPYC", "S4.epyc.apart", "S4.epyc.base");
	print_ratio("S4: fix D, 112 threads, 16384 buckets", "S4.skl.16k.lean", "S4.skl.16k.base");
	print_ratio("S4: fix D, 112 threads, 512 buckets", "S4.skl.512.lean", "S4.skl.512.base");
	print_ratio("S4: fix D, 112 threads, 256 buckets", "S4.skl.256.lean", "S4.skl.256.base");
	print_ratio("S5: fix E, Volano", "S5.volano.split", "S5.volano.global");
	printf("| S5: bucket aligned, 10 x 250 threads | no difference | %.3f | |\n", aligned);
	print_bounce("fix A", "precheck", 0.80, seed);
	print_bounce("fix B", "trylock", 1.05, seed);
	print_tally(&ratio_tally);
	print_look_price(0.80, seed);
}

static void print_head(uint64_t seed)
{
	printf(
	    "# The bucket model against published figures\n\n"
	    "Made by `build/release/bin/own-bucket-model --validate --seed %ju`. Nothing here was\n"
	    "measured: `benchmarks/kernel/model` simulates CPUs, cachelines that move between\n"
	    "them, queued spin locks, and the kernel's futex calls as lists of accesses to such\n"
	    "lines. What is published of each machine is its number of CPUs, so a few\n"
	    "parameters per machine are found from a few figures (\"calibrated\"); all other\n"
	    "figures are predictions. No parameter belongs to one figure alone.\n"
	    "`own-bucket-model --calibrate` finds the parameters again. The names of the\n"
	    "figures and of the fixes A to E are those of\n"
	    "[kernel-vs-user.md](../kernel-vs-user.md).\n\n",
	    (uintmax_t)seed);
}

static void print_faults(void)
{
	puts(
	    "\n## Where it fails, and why\n\n"
	    "- **S2, the two-thread bounce.** Where it takes long to run a woken thread, a wait is "
	    "off\n"
	    "  the critical path, since the other thread is being woken meanwhile, and fix A's "
	    "look\n"
	    "  costs nothing; on one CPU it costs what it takes (`--user-ns 60 --switch-ns 300`: 5 "
	    "per\n"
	    "  cent). Tried: 8935 settings drawn at random, `--idle-ns` 10 to 3162, `--wake-ns` 20 "
	    "to\n"
	    "  631, `--local-ns` 25 to 100, `--call-ns` 100 to 400, `--user-ns` 15 to 100, "
	    "`--switch-ns`\n"
	    "  300 to 1500, `--jitter` 5 to 100; in half of them a CPU also needed up to 800 ns to "
	    "leave\n"
	    "  a thread before that could run again. Three states show:\n"
	    "  - both always sleep. If a woken thread runs within 200 to 300 ns, fix A's look "
	    "takes the\n"
	    "    word's line away just before that thread writes to it: two more lines move per "
	    "turn, and\n"
	    "    up to 11 per cent are lost, half of what was published. Fix B changes nothing:\n"
	    "    `own-bucket-model --machine zen3 --idle-ns 260 --local-ns 100 --call-ns 150\n"
	    "    --user-ns 30 --wake-ns 70 bounce private precheck trylock`;\n"
	    "  - nobody sleeps, and with little jitter the two stay in step. Then fix A can add a\n"
	    "    mismatched wait to each turn, and lose 27 per cent (`--idle-ns 44 --local-ns 40\n"
	    "    --call-ns 100 --user-ns 60 --wake-ns 65`). Fix B changes nothing: they do not "
	    "meet;\n"
	    "  - sleeping and mismatching mix (`--jitter` 50 and more). Where fix B gains more "
	    "than 2 per\n"
	    "    cent, fix A gains too, or at worst loses nothing.\n"
	    "\n"
	    "  In no setting did fix A lose 5 per cent and fix B gain 1. So the word's line is a "
	    "part of\n"
	    "  it, and the rest is something that the model lacks, such as a pipeline that SMAP's "
	    "switches\n"
	    "  stall. Measure it: `own-workload bounce` under both kernels.\n"
	    "- **S3, 10 threads.** The machine is not named, so where its threads ran, and how "
	    "much its\n"
	    "  clock falls with ten busy CPUs, is not known; one busy-ratio for all counts is too\n"
	    "  coarse. Nor is the number of buckets of the first series: the model takes the "
	    "least, 16.\n"
	    "- **S3, shared futexes.** The model counts the users of a page of 4 KiB. If the pages "
	    "were\n"
	    "  parts of larger ones, many more threads changed one count.\n"
	    "- **S4, 16384 buckets.** In the model a read of a line that another CPU changed, and "
	    "then\n"
	    "  a change of it, are two transfers. On that machine the second one is nearly free "
	    "as\n"
	    "  long as nobody else wants the line. With few buckets somebody always does, and "
	    "there\n"
	    "  the model agrees. The same makes the gain on EPYC too large.\n"
	    "- **S1, `-b 2`.** Accesses to one line are served strictly in their order; hardware "
	    "lets a\n"
	    "  CPU finish several changes before the line goes on, so a crowded bucket is faster "
	    "there.\n"
	    "- **S5, Volano.** One per cent is less than the model's noise; it says only that the "
	    "lock\n"
	    "  did not matter to a program that computed for so long per message. The \"heavy "
	    "futex\n"
	    "  benchmark\" of S5 is not described anywhere, and so not modelled.\n"
	    "- Not in the model: hyperthreads, caches that overflow, interrupts, preemption, idle "
	    "states,\n"
	    "  and other programs. The fleet's figures of S1 (shares of samples, time per call) "
	    "depend on\n"
	    "  all of these; `ownline trace` measures them on the fleet.");
}

bool model_validate(uint64_t seed)
{
	bool right;

	print_head(seed);
	printf("## Machines\n\n");
	model_print_machines();
	printf(
	    "\nSources of the rest: an atomic change of a line at hand takes about 20 cycles, a "
	    "read\n"
	    "4, SMAP's switches with a load about 50; a line from another node takes twice as\n"
	    "long as one from the own; the global hash has 256 buckets per CPU (rounded up) but\n"
	    "where a figure says otherwise; words, threads and binding are `perf bench`'s.\n");
	printf("\n## Rates\n\n"
	       "Operations per second of a thread; Volano: messages per second of all. S4's\n"
	       "rates are from its thread and from the commit that came of it (a734d9fca84e).\n\n");
	right = print_rates(seed);
	printf("\n## Ratios\n");
	print_ratios(seed);
	print_faults();
	model_predict(seed);
	return right;
}
