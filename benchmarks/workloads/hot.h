/* The one mutex that several workloads share. */
#ifndef OWN_WORKLOADS_HOT_H
#define OWN_WORKLOADS_HOT_H

#include "workloads/workload.h"

struct own_hot {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	/* What a reader looks at and a writer changes. */
	alignas(OWN_APART) uint64_t table[64];
};

/* run->arguments[0] threads and a struct own_hot as the state. */
void own_hot_setup(struct own_run *run);
void own_hot_teardown(struct own_run *run);

/* arguments[1] iterations inside, arguments[2] outside. */
void own_hot_thread(struct own_run *run, struct own_thread *self);

#endif
