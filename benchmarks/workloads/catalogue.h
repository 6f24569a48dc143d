/* Every workload by name; each .c file defines a group of them. */
#ifndef OWN_WORKLOADS_CATALOGUE_H
#define OWN_WORKLOADS_CATALOGUE_H

#include "workloads/workload.h"

extern const struct own_workload own_workload_mutex;
extern const struct own_workload own_workload_fairness;
extern const struct own_workload own_workload_uncontended;
extern const struct own_workload own_workload_uncontended_second;
extern const struct own_workload own_workload_packed;
extern const struct own_workload own_workload_striped;
extern const struct own_workload own_workload_random;
extern const struct own_workload own_workload_sweep;
extern const struct own_workload own_workload_handoff;
extern const struct own_workload own_workload_queue;
extern const struct own_workload own_workload_barrier;
extern const struct own_workload own_workload_chat;
extern const struct own_workload own_workload_mixed;
extern const struct own_workload own_workload_bursty;
extern const struct own_workload own_workload_readers;
extern const struct own_workload own_workload_sleeping;
extern const struct own_workload own_workload_oversubscribed;
extern const struct own_workload own_workload_trylock;
extern const struct own_workload own_workload_timedlock;
extern const struct own_workload own_workload_broadcast;
extern const struct own_workload own_workload_pool;
extern const struct own_workload own_workload_spawn;
extern const struct own_workload own_workload_chat_processes;
extern const struct own_workload own_workload_volano;
extern const struct own_workload own_workload_hash;
extern const struct own_workload own_workload_timer;
extern const struct own_workload own_workload_bounce;
extern const struct own_workload own_workload_buckets;
extern const struct own_workload own_workload_pairs;
extern const struct own_workload own_workload_cacheline;

#endif
