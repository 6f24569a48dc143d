#include "workloads/catalogue.h"

const struct own_workload *const own_workloads[] = {
	&own_workload_uncontended,
	&own_workload_uncontended_second,
	&own_workload_mutex,
	&own_workload_fairness,
	&own_workload_packed,
	&own_workload_striped,
	&own_workload_random,
	&own_workload_sweep,
	&own_workload_handoff,
	&own_workload_queue,
	&own_workload_barrier,
	&own_workload_chat,
	NULL,
};
