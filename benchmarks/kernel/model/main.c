/* own-bucket-model: the command around the simulator. */
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/model/model.h"

#define MOST_WORDS 8e6 /* threads x words: what a run keeps in memory */

struct parameter {
	const char *name;
	size_t offset;
	double least, most, usual;
	bool whole;
	const char *help;
};

#define PARAMETER(field) offsetof(struct model_parameters, field)

static const struct parameter parameters[] = {
    {"threads", PARAMETER(threads), 1, MODEL_MAX_THREADS, 16, true,
     "thread i runs on CPU i modulo --cpus"},
    {"words", PARAMETER(words), 1, 1e6, 1024, true, "hash: futex words of a thread"},
    {"mismatch", PARAMETER(mismatch), 0, 100, 100, false,
     "hash: per cent of the waits that mismatch"},
    {"shared", PARAMETER(shared), 0, 1, 0, true, "hash: 1: shared futexes"},
    {"room", PARAMETER(room), 2, MODEL_MAX_THREADS, 20, true, "chat: members of a room"},
    {"message-ns", PARAMETER(message_ns), 0, 1e7, 1000, false, "chat: computing per message"},
    {"section-ns", PARAMETER(section_ns), 0, 1e7, 25, false, "mutex: inside the mutex"},
    {"outside-ns", PARAMETER(outside_ns), 0, 1e7, 50, false, "mutex: outside"},
    {"look-ns", PARAMETER(look_ns), 0, 1e6, 350, false,
     "mutex: ownline's looks at it before it yields, in all"},
    {"yields", PARAMETER(yields), 0, 100, 7, true, "mutex: ownline's yields before it queues"},
    {"patient-ns", PARAMETER(patient_ns), 0, 1e6, MODEL_BY_CPUS, false,
     "mutex: ownline's shortest pause before a patient look; 25 for each CPU, at most 400"},
    {"count-all", PARAMETER(count_all), 0, 1, MODEL_BY_CPUS, true,
     "mutex: 1: ownline's spinners count among those who take it meanwhile; so on over 2 CPUs"},
    {"one-wake", PARAMETER(one_wake), 0, 1, 0, true,
     "mutex: 1: ownline wakes nobody while a woken waiter is on its way"},
    {"spin-ns", PARAMETER(spin_ns), 0, 1e7, 60000, false,
     "mutex: longest look at ownline's own word"},
    {"buckets", PARAMETER(buckets), 1, 1 << 20, 4096, true, "hash buckets, any number"},
    {"bucket-bytes", PARAMETER(bucket_bytes), 4, 64, 24, true,
     "packed2003 and global2003: size of a bucket"},
    {"cpus", PARAMETER(cpus), 1, MODEL_MAX_CPUS, 16, true, "CPUs"},
    {"node-cpus", PARAMETER(node_cpus), 1, MODEL_MAX_CPUS, 16, true, "CPUs of a node, by number"},
    {"hit-ns", PARAMETER(hit_ns), 0, 1e4, 1, false, "read of a line in the own cache"},
    {"atomic-ns", PARAMETER(atomic_ns), 0, 1e4, 5, false,
     "atomic change of a line in the own cache alone"},
    {"local-ns", PARAMETER(local_ns), 0, 1e5, 60, false,
     "a line comes from another CPU of the node"},
    {"remote-ns", PARAMETER(remote_ns), 0, 1e5, 120, false, "a line comes from another node"},
    {"busy-ratio", PARAMETER(busy_ratio), 0.1, 10, 1, false,
     "computing with over two CPUs busy takes so many times as long"},
    {"jitter", PARAMETER(jitter), 0, 100, 10, false,
     "per cent by which computing is longer or shorter, at random"},
    {"call-ns", PARAMETER(call_ns), 0, 1e6, 230, false,
     "a mismatched wait without its shared lines"},
    {"user-ns", PARAMETER(user_ns), 0, 1e5, 15, false, "of these, reading the user's word"},
    {"shared-ns", PARAMETER(shared_ns), 0, 1e6, 130, false, "added by the key of a shared futex"},
    {"queue-ns", PARAMETER(queue_ns), 0, 1e7, 500, false,
     "hash: added by a wait that matches (timer, queue)"},
    {"wake-ns", PARAMETER(wake_ns), 0, 1e7, 500, false, "making a thread runnable"},
    {"switch-ns", PARAMETER(switch_ns), 0, 1e7, 1500, false,
     "from one thread to the next on a CPU"},
    {"yield-ns", PARAMETER(yield_ns), 0, 1e7, 390, false,
     "mutex: a yield when nobody else wants the CPU"},
    {"idle-ns", PARAMETER(idle_ns), 0, 1e8, 5000, false,
     "until an idle CPU runs a thread made runnable"},
    {"slice-ns", PARAMETER(slice_ns), 1e4, 1e9, 3e6, false,
     "a thread runs so long at most while another wants its CPU"},
    {"warm-up", PARAMETER(warm_up), 1, 1e7, 1024, true,
     "operations per thread that are not counted"},
    {"operations", PARAMETER(operations), 1, 1e7, 1024, true, "operations per thread that are"},
    {"seed", PARAMETER(seed), 0, 1e9, 1, true, "of everything random"},
};
enum { PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };

static const char *const workload_names[] = {
    [WORKLOAD_HASH] = "hash",
    [WORKLOAD_BOUNCE] = "bounce",
    [WORKLOAD_CHAT] = "chat",
    [WORKLOAD_MUTEX] = "mutex",
};
enum { WORKLOADS = sizeof(workload_names) / sizeof(workload_names[0]) };

static void fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("own-bucket-model: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(2);
}

static void print_help(void)
{
	printf("Usage: own-bucket-model [OPTIONS] WORKLOAD [DESIGN...]\n"
	       "       own-bucket-model --validate | --calibrate | --machines\n"
	       "Simulates the kernel's futex hash buckets on a machine that is not at hand.\n"
	       "All designs unless some are named; a line of figures each. Nothing is measured:\n"
	       "the figures are those of the parameters.\n\n"
	       "  --validate      the model against published figures, as Markdown\n"
	       "  --calibrate     find the machines' parameters from the figures they rest on\n"
	       "  --machines      print the machines and their parameters\n"
	       "  --machine NAME  the parameters of such a machine, before those given here\n"
	       "  --json          an object per line\n"
	       "  --help          this text\n\n"
	       "Workloads:\n"
	       "  hash    as `perf bench futex hash`: waits on a thread's own words; those that\n"
	       "          match queue and time out at once\n"
	       "  bounce  threads pass a turn on by wake and wait on one word\n"
	       "  chat    threads in rooms pass messages on, each with a mailbox\n"
	       "  mutex   one contended mutex, glibc's or ownline's\n\nDesigns:\n");
	for (unsigned i = 0; i < model_design_count; i++)
		printf("  %-20s %s\n", model_designs[i].name, model_designs[i].help);
	printf("\nParameters (range; default), times in nanoseconds:\n");
	for (unsigned i = 0; i < PARAMETERS; i++) {
		const struct parameter *p = &parameters[i];

		printf("  --%-13s %s (%g to %g; ", p->name, p->help, p->least, p->most);
		if (p->usual == MODEL_BY_CPUS)
			printf("by --cpus)\n");
		else
			printf("%g)\n", p->usual);
	}
	printf("\nExit status: 0 simulated, 1 a fault of the model or a calibration that is off,\n"
	       "2 wrong usage.\n");
}

static double *field(struct model_parameters *p, unsigned index)
{
	return (double *)((char *)p + parameters[index].offset);
}

static void set_parameter(struct model_parameters *p, unsigned index, const char *text)
{
	const struct parameter *parameter = &parameters[index];
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= parameter->least && value <= parameter->most) ||
	    (parameter->whole && value != (double)(long)value))
		fail("--%s wants a %snumber from %g to %g, not '%s'", parameter->name,
		     parameter->whole ? "whole " : "", parameter->least, parameter->most, text);
	*field(p, index) = value;
}

static void print_result(const struct model_design *design, const struct model_result *r, bool json)
{
	if (json)
		printf("{\"design\": \"%s\", \"ops_per_second_and_thread\": %.1f, "
		       "\"ops_per_second\": %.1f, \"operations\": %.0f, \"waits\": %.0f, "
		       "\"mismatches\": %.0f, \"wakes\": %.0f, \"empty_wakes\": %.0f, "
		       "\"bucket_locks\": %.0f, \"matched_lock_ns\": %.2f, "
		       "\"mismatched_lock_ns\": %.2f, \"lines_per_op\": %.3f}\n",
		       design->name, r->per_thread, r->total, r->operations, r->waits,
		       r->mismatches, r->wakes, r->empty_wakes, r->bucket_locks, r->lock_ns[0],
		       r->lock_ns[1], r->transfers);
	else
		printf("%-20s %12.0f %13.0f %9.3f %9.1f %9.3f %9.0f %9.0f %8.2f\n", design->name,
		       r->per_thread, r->total, r->waits / r->operations,
		       r->waits > 0 ? 100 * r->mismatches / r->waits : 0,
		       r->bucket_locks / r->operations, r->lock_ns[0], r->lock_ns[1], r->transfers);
	fflush(stdout);
}

/* A way to lock is no other way to call futex. */
static bool makes_sense(const struct model_design *design, enum model_workload workload)
{
	return design->user == USER_GLIBC || workload == WORKLOAD_MUTEX;
}

static int simulate(const struct model_parameters *p, enum model_workload workload, bool json,
		    int count, char **names)
{
	const int designs = count ? count : (int)model_design_count;

	for (int i = 0; i < count; i++) {
		if (!model_find_design(names[i]))
			fail("no design '%s'; own-bucket-model --help lists them", names[i]);
		if (!makes_sense(model_find_design(names[i]), workload))
			fail("%s is a way to lock, for the workload mutex only", names[i]);
	}
	if (!json)
		printf("%-20s %12s %13s %9s %9s %9s %9s %9s %8s\n", "design", "ops/s/thread",
		       "ops/s", "waits/op", "mismatch%", "locks/op",
		       "lock-ns=", "lock-ns!=", "lines/op");
	for (int i = 0; i < designs; i++) {
		const struct model_design *design =
		    count ? model_find_design(names[i]) : &model_designs[i];
		struct model_result result;
		const char *fault;

		if (!makes_sense(design, workload))
			continue;
		fault = model_run(p, design, workload, &result);
		if (fault) {
			fprintf(stderr, "own-bucket-model: %s: %s\n", design->name, fault);
			return fault == model_too_long ? 2 : 1;
		}
		print_result(design, &result, json);
	}
	return 0;
}

static enum model_workload find_workload(const char *name)
{
	for (int i = 0; name && i < WORKLOADS; i++) {
		if (strcmp(workload_names[i], name) == 0)
			return (enum model_workload)i;
	}
	if (!name)
		fail("name a workload; own-bucket-model --help lists them");
	fail("no workload '%s'; own-bucket-model --help lists them", name);
	return WORKLOAD_HASH;
}

static void check_together(const struct model_parameters *p, enum model_workload workload)
{
	if (workload == WORKLOAD_HASH && p->threads * p->words > MOST_WORDS)
		fail("--threads times --words is at most %g", MOST_WORDS);
	if (workload == WORKLOAD_BOUNCE && p->threads < 2)
		fail("bounce wants --threads of 2 or more");
	if (p->user_ns > p->call_ns)
		fail("--user-ns is a part of --call-ns, and cannot be more");
}

enum { VALIDATE = 1000, CALIBRATE, MACHINES, MACHINE, JSON, HELP, FIRST_PARAMETER };

static void name_options(struct option *names)
{
	static const struct option fixed[] = {
	    {"validate", no_argument, NULL, VALIDATE},
	    {"calibrate", no_argument, NULL, CALIBRATE},
	    {"machines", no_argument, NULL, MACHINES},
	    {"machine", required_argument, NULL, MACHINE},
	    {"json", no_argument, NULL, JSON},
	    {"help", no_argument, NULL, HELP},
	};
	enum { FIXED = sizeof(fixed) / sizeof(fixed[0]) };

	memset(names, 0, (FIXED + PARAMETERS + 1) * sizeof(*names));
	memcpy(names, fixed, sizeof(fixed));
	for (int i = 0; i < PARAMETERS; i++)
		names[FIXED + i] = (struct option){parameters[i].name, required_argument, NULL,
						   FIRST_PARAMETER + i};
}

struct command {
	struct model_parameters parameters;
	int task; /* VALIDATE, CALIBRATE, MACHINES, or 0 */
	bool json;
};

/* A machine's parameters come first, wherever its option stands. */
static void parse(struct command *command, int argc, char **argv)
{
	struct option names[PARAMETERS + 16];
	const char *given[PARAMETERS] = {NULL};
	int option;

	for (unsigned i = 0; i < PARAMETERS; i++)
		*field(&command->parameters, i) = parameters[i].usual;
	name_options(names);
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == '?') {
			fail("not an option, or its value is missing: '%s'; see own-bucket-model "
			     "--help",
			     argv[optind - 1]);
		} else if (option == HELP) {
			print_help();
			exit(0);
		} else if (option == JSON) {
			command->json = true;
		} else if (option == MACHINE) {
			if (!model_machine(optarg, &command->parameters))
				fail("no machine '%s'; --machines lists them", optarg);
		} else if (option >= FIRST_PARAMETER) {
			given[option - FIRST_PARAMETER] = optarg;
		} else {
			command->task = option;
		}
	}
	for (unsigned i = 0; i < PARAMETERS; i++) {
		if (given[i])
			set_parameter(&command->parameters, i, given[i]);
	}
	if (command->task && optind < argc)
		fail("--validate, --calibrate and --machines stand alone");
}

int main(int argc, char **argv)
{
	struct command command = {.task = 0};
	enum model_workload workload;
	uint64_t seed;

	parse(&command, argc, argv);
	seed = (uint64_t)command.parameters.seed;
	switch (command.task) {
	case VALIDATE:
		return model_validate(seed) ? 0 : 1;
	case CALIBRATE:
		model_calibrate(seed);
		return 0;
	case MACHINES:
		model_print_machines();
		return 0;
	default:
		workload = find_workload(argv[optind]);
		check_together(&command.parameters, workload);
		return simulate(&command.parameters, workload, command.json, argc - optind - 1,
				argv + optind + 1);
	}
}
