/*
 * The machines behind the published figures. What is known of each is little: the number of CPUs
 * and threads. What a line's way costs, and a call, is found from the figures named in
 * `calibrated` (own-bucket-model --calibrate); all else is the same for all machines of an age.
 */
#include "kernel/model/published.h"

#include <stdio.h>
#include <string.h>

/*
 * An atomic change of a line at hand takes some 20 cycles, a read 4; SMAP's two switches and a load
 * some 50; 100, 4 and 100 of them in 2003. A yield takes 1.7 times as long as a mismatched wait. A
 * way to sleep and back as own-workload's timer and bounce show it on machines of the 2020s; twice
 * that in 2003. Slices are Linux's: 3 ms with 8 CPUs or more, 100 ms in 2003.
 */
#define CPU_2020S                                                                                  \
	.hit_ns = 1, .atomic_ns = 5, .user_ns = 15, .wake_ns = 500, .switch_ns = 1500,             \
	.yield_ns = 390, .idle_ns = 5000, .slice_ns = 3e6
#define CPU_2003                                                                                   \
	.hit_ns = 2, .atomic_ns = 50, .user_ns = 50, .wake_ns = 1000, .switch_ns = 3000,           \
	.yield_ns = 1400, .idle_ns = 10000, .slice_ns = 1e8
#define SHARED_NS 129.2 /* of guest16, for all */
#define COMMON                                                                                     \
	.jitter = 10, .queue_ns = 500, .bucket_bytes = 24, .words = 1024, .mismatch = 100,         \
	.room = 20, .section_ns = 25, .outside_ns = 50, .look_ns = 350, .yields = 7,               \
	.patient_ns = MODEL_BY_CPUS, .count_all = MODEL_BY_CPUS, .spin_ns = 60000, .seed = 1

struct machine model_machines[] = {
    {.name = "guest16",
     .help = "S1: guest of 16 CPUs; taken as one node",
     .parameters = {CPU_2020S, COMMON, .cpus = 16, .node_cpus = 16, .threads = 16, .buckets = 4096,
		    .call_ns = 227.2, .local_ns = 59.8, .busy_ratio = 1, .shared_ns = SHARED_NS},
     .calibrated = {{"call-ns", offsetof(struct model_parameters, call_ns), "S1.global.A"},
		    {"local-ns", offsetof(struct model_parameters, local_ns), "S1.global.base"},
		    {"shared-ns", offsetof(struct model_parameters, shared_ns), "S1.shared.A"}}},
    {.name = "host80",
     .help = "S3: 80 CPUs or more; taken as one node, as its figures show no step at 40",
     .parameters = {CPU_2020S, COMMON, .cpus = 80, .node_cpus = 80, .threads = 80, .buckets = 32768,
		    .call_ns = 273.6, .local_ns = 36.55, .busy_ratio = 2.03,
		    .shared_ns = SHARED_NS},
     .calibrated = {{"call-ns", offsetof(struct model_parameters, call_ns), "S3.global.1"},
		    {"busy-ratio", offsetof(struct model_parameters, busy_ratio), "S3.global.80"},
		    {"local-ns", offsetof(struct model_parameters, local_ns), "S3.private.80"}}},
    {.name = "skl112",
     .help = "S4, the commit: two sockets of 56 CPUs",
     .remote_ratio = 2,
     .parameters = {CPU_2020S, COMMON, .cpus = 112, .node_cpus = 56, .threads = 112,
		    .buckets = 16384, .call_ns = 226.9, .local_ns = 227.8, .busy_ratio = 1,
		    .shared_ns = SHARED_NS},
     .calibrated = {{"call-ns", offsetof(struct model_parameters, call_ns), "S4.skl.16k.lean"},
		    {"local-ns", offsetof(struct model_parameters, local_ns), "S4.skl.256.lean"}}},
    {.name = "gb200",
     .help = "S4: two chips of 72 CPUs; call-ns is guest16's",
     .remote_ratio = 2,
     .parameters = {CPU_2020S, COMMON, .cpus = 144, .node_cpus = 72, .threads = 144,
		    .buckets = 1024, .call_ns = 227.2, .local_ns = 113.2, .busy_ratio = 1,
		    .shared_ns = SHARED_NS},
     .calibrated = {{"local-ns", offsetof(struct model_parameters, local_ns), "S4.gb200.lean"}}},
    {.name = "epyc176",
     .help = "S4: 176 CPUs in groups of 16 with a cache of their own; call-ns is guest16's",
     .remote_ratio = 2,
     .parameters = {CPU_2020S, COMMON, .cpus = 176, .node_cpus = 16, .threads = 176,
		    .buckets = 1024, .call_ns = 227.2, .local_ns = 84.65, .busy_ratio = 1,
		    .shared_ns = SHARED_NS},
     .calibrated = {{"local-ns", offsetof(struct model_parameters, local_ns), "S4.epyc.apart"}}},
    {.name = "zen3",
     .help = "S2: two CPUs of a node, call-ns and local-ns are guest16's",
     .parameters = {CPU_2020S, COMMON, .cpus = 2, .node_cpus = 2, .threads = 2, .buckets = 16,
		    .call_ns = 227.2, .local_ns = 59.8, .busy_ratio = 1, .shared_ns = SHARED_NS}},
    {.name = "xeon4",
     .help = "S5: four CPUs of 2003 on one bus",
     .parameters = {CPU_2003, COMMON, .cpus = 4, .node_cpus = 4, .threads = 200, .buckets = 256,
		    .call_ns = 800, .local_ns = 250, .busy_ratio = 1, .message_ns = 253200},
     .calibrated = {{"message-ns", offsetof(struct model_parameters, message_ns),
		     "S5.volano.global"}}},
};
const unsigned model_machine_count = sizeof(model_machines) / sizeof(model_machines[0]);

struct machine *model_find_machine(const char *name)
{
	for (unsigned i = 0; i < model_machine_count; i++) {
		if (strcmp(model_machines[i].name, name) == 0)
			return &model_machines[i];
	}
	return NULL;
}

void model_fill_machine(const struct machine *machine, struct model_parameters *parameters)
{
	*parameters = machine->parameters;
	parameters->remote_ns =
	    parameters->local_ns * (machine->remote_ratio > 0 ? machine->remote_ratio : 1);
	parameters->warm_up = 1024;
	parameters->operations = 512;
}

bool model_machine(const char *name, struct model_parameters *parameters)
{
	const struct machine *machine = model_find_machine(name);

	if (machine)
		model_fill_machine(machine, parameters);
	return machine != NULL;
}

void model_print_machines(void)
{
	printf("| machine | CPUs | of a node | call-ns | local-ns | remote-ns | busy-ratio | "
	       "what it is; what it is calibrated on |\n"
	       "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < model_machine_count; i++) {
		const struct machine *machine = &model_machines[i];
		struct model_parameters p;

		model_fill_machine(machine, &p);
		printf("| %s | %.0f | %.0f | %.1f | %.1f | %.1f | %.3f | %s", machine->name, p.cpus,
		       p.node_cpus, p.call_ns, p.local_ns, p.remote_ns, p.busy_ratio,
		       machine->help);
		for (unsigned j = 0; j < MODEL_CALIBRATED && machine->calibrated[j].row; j++)
			printf("%s %s on %s", j ? "," : ";", machine->calibrated[j].name,
			       machine->calibrated[j].row);
		printf(" |\n");
	}
}
