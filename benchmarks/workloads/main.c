/*
 * own-workload: runs one workload against one lock library and prints one line.
 *
 * Without CMake, from the root of the source tree:
 *     gcc -std=c11 -D_GNU_SOURCE -O2 -Ibenchmarks -o own-workload benchmarks/workloads/[a-z]*.c
 * -pthread For ownline instead of glibc: LD_PRELOAD=/path/to/libownline.so ./own-workload ...
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/engine.h"

#define DEFAULT_SECONDS 0.5
#define MAX_SECONDS	3600.0

#ifdef OWN_PEER_HAS_ADAPTIVE
bool own_peer_adaptive;
#endif

void own_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("own-workload: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(2);
}

static void print_help(void)
{
	printf("Usage: own-workload [OPTIONS] WORKLOAD [ARGUMENTS]\n"
	       "Runs a workload over %s locks and prints one line of figures.\n\n"
	       "  --pin, --no-pin  thread i on CPU i modulo their number (default), or anywhere\n"
	       "  --seconds S      how long to measure (default %.1f)\n"
	       "  --sample K       time every K-th acquisition (default 0: none)\n"
	       "  --futex          let the kernel count futex calls; such a run is slower\n"
#ifdef OWN_PEER_HAS_ADAPTIVE
	       "  --adaptive       mutexes of kind PTHREAD_MUTEX_ADAPTIVE_NP\n"
#endif
	       "  --json           print a JSON object instead\n"
	       "  --help           this text\n\nWorkloads:\n",
	       OWN_PEER_NAME, DEFAULT_SECONDS);
	for (unsigned i = 0; own_workloads[i]; i++)
		printf("  %s %s\n      %s\n", own_workloads[i]->name, own_workloads[i]->usage,
		       own_workloads[i]->help);
}

static double number_option(const char *name, const char *text, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= least && value <= most))
		own_fail("%s wants a number from %g to %g, not '%s'", name, least, most, text);
	return value;
}

static void parse_options(struct own_options *options, int argc, char **argv)
{
	enum { PIN = 1000, NO_PIN, SECONDS, SAMPLE, FUTEX, ADAPTIVE, JSON, HELP };
	static const struct option names[] = {
	    {"pin", no_argument, NULL, PIN},
	    {"no-pin", no_argument, NULL, NO_PIN},
	    {"seconds", required_argument, NULL, SECONDS},
	    {"sample", required_argument, NULL, SAMPLE},
	    {"futex", no_argument, NULL, FUTEX},
#ifdef OWN_PEER_HAS_ADAPTIVE
	    {"adaptive", no_argument, NULL, ADAPTIVE},
#endif
	    {"json", no_argument, NULL, JSON},
	    {"help", no_argument, NULL, HELP},
	    {NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "+:", names, NULL)) != -1) {
		switch (option) {
		case PIN:
		case NO_PIN:
			options->pin = option == PIN;
			break;
		case SECONDS:
			options->seconds = number_option("--seconds", optarg, 0.001, MAX_SECONDS);
			break;
		case SAMPLE:
			options->sample = (unsigned)number_option("--sample", optarg, 0, 1e9);
			break;
		case FUTEX:
			options->futex_counts = true;
			break;
#ifdef OWN_PEER_HAS_ADAPTIVE
		case ADAPTIVE:
			own_peer_adaptive = true;
			break;
#endif
		case JSON:
			options->json = true;
			break;
		case HELP:
			print_help();
			exit(0);
		default:
			own_fail("option '%s' %s; see own-workload --help", argv[optind - 1],
				 option == ':' ? "needs a value"
					       : "is not known or takes no value");
		}
	}
}

static void parse_workload(struct own_run *run, int count, char **words)
{
	const struct own_workload *workload = NULL;

	if (count < 1)
		own_fail("name a workload; own-workload --help lists them");
	for (unsigned i = 0; own_workloads[i]; i++) {
		if (strcmp(own_workloads[i]->name, words[0]) == 0)
			workload = own_workloads[i];
	}
	if (!workload)
		own_fail("no workload '%s'; own-workload --help lists them", words[0]);
	if (count - 1 < workload->required || count - 1 > workload->arguments)
		own_fail("usage: %s %s", workload->name, workload->usage);
	run->workload = workload;
	memcpy(run->arguments, workload->defaults, sizeof(run->arguments));
	for (int i = 1; i < count; i++)
		run->arguments[i - 1] = (long)number_option(workload->usage, words[i], 0, 1e9);
	if (run->options.seconds <= 0)
		run->options.seconds = workload->seconds > 0 ? workload->seconds : DEFAULT_SECONDS;
}

static void print_text(const struct own_run *run, const struct own_result *result,
		       const char *title)
{
	const struct own_latency *latency = &result->latency;

	printf("%-24s %12.0f ops/s %9.2f ns/op  cpu %.3f s/Mop  slowest/fastest %.3f  jain %.3f",
	       title, result->operations / result->seconds,
	       result->seconds * 1e9 / result->operations,
	       result->cpu_seconds * 1e6 / result->operations, result->slowest_to_fastest,
	       result->jain);
	if (latency->count)
		printf("  p50/p99/p99.9/max %.2f/%.2f/%.2f/%.2f us",
		       (double)own_latency_percentile(latency, 0.5) / 1e3,
		       (double)own_latency_percentile(latency, 0.99) / 1e3,
		       (double)own_latency_percentile(latency, 0.999) / 1e3,
		       (double)latency->max_ns / 1e3);
	if (run->one_way_ns > 0)
		printf("  one way %.1f ns", run->one_way_ns);
	printf("  switches %ld+%ld", result->voluntary_switches, result->involuntary_switches);
	if (result->futex.valid)
		printf("  waits %ju mismatched %ju wakes %ju", (uintmax_t)result->futex.waits,
		       (uintmax_t)result->futex.mismatches, (uintmax_t)result->futex.wakes);
	putchar('\n');
}

static void print_json(const struct own_run *run, const struct own_result *result,
		       const char *title)
{
	const struct own_latency *latency = &result->latency;

	printf("{\"workload\": \"%s\", \"peer\": \"%s\", \"pinned\": %s, \"threads\": %u, "
	       "\"seconds\": %.6f, \"operations\": %.0f, \"ops_per_second\": %.1f, "
	       "\"cpu_seconds_per_million\": %.6f, \"slowest_to_fastest\": %.6f, "
	       "\"jain\": %.6f, \"voluntary_switches\": %ld, \"involuntary_switches\": %ld",
	       title, run->workload->kernel ? "kernel" : OWN_PEER_NAME,
	       run->options.pin ? "true" : "false", result->threads, result->seconds,
	       result->operations, result->operations / result->seconds,
	       result->operations > 0 ? result->cpu_seconds * 1e6 / result->operations : 0,
	       result->slowest_to_fastest, result->jain, result->voluntary_switches,
	       result->involuntary_switches);
	if (run->one_way_ns > 0)
		printf(", \"one_way_ns\": %.2f", run->one_way_ns);
	if (latency->count)
		printf(", \"acquire_ns\": {\"samples\": %ju, \"p50\": %ju, \"p99\": %ju, "
		       "\"p999\": %ju, \"max\": %ju}",
		       (uintmax_t)latency->count, (uintmax_t)own_latency_percentile(latency, 0.5),
		       (uintmax_t)own_latency_percentile(latency, 0.99),
		       (uintmax_t)own_latency_percentile(latency, 0.999),
		       (uintmax_t)latency->max_ns);
	if (result->futex.valid)
		printf(", \"futex\": {\"waits\": %ju, \"mismatches\": %ju, \"timeouts\": %ju, "
		       "\"wakes\": %ju}",
		       (uintmax_t)result->futex.waits, (uintmax_t)result->futex.mismatches,
		       (uintmax_t)result->futex.timeouts, (uintmax_t)result->futex.wakes);
	puts("}");
}

static void make_title(char *title, size_t size, int count, char **words)
{
	size_t used = 0;

	for (int i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(title + used, size - used, "%s%s", i ? " " : "", words[i]);
}

int main(int argc, char **argv)
{
	static struct own_run run;
	static struct own_result result;
	char title[128];

	run.options.pin = true;
	parse_options(&run.options, argc, argv);
	parse_workload(&run, argc - optind, argv + optind);
	make_title(title, sizeof(title), argc - optind, argv + optind);
	own_engine_run(&run, &result);
	if (run.skipped) {
		fprintf(stderr, "own-workload: %s has no such operation\n", OWN_PEER_NAME);
		return 77;
	}
	if (run.options.json)
		print_json(&run, &result, title);
	else
		print_text(&run, &result, title);
	return 0;
}
