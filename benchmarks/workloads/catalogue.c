#include "workloads/catalogue.h"

const struct own_workload *const own_workloads[] = {
    &own_workload_uncontended,	  &own_workload_uncontended_second,
    &own_workload_mutex,	  &own_workload_fairness,
    &own_workload_packed,	  &own_workload_striped,
    &own_workload_random,	  &own_workload_sweep,
    &own_workload_handoff,	  &own_workload_queue,
    &own_workload_barrier,	  &own_workload_chat,
    &own_workload_mixed,	  &own_workload_bursty,
    &own_workload_readers,	  &own_workload_sleeping,
    &own_workload_oversubscribed, &own_workload_trylock,
    &own_workload_timedlock,	  &own_workload_broadcast,
    &own_workload_pool,		  &own_workload_chat_processes,
    &own_workload_volano,	  &own_workload_hash,
    &own_workload_timer,	  &own_workload_bounce,
    &own_workload_buckets,	  &own_workload_pairs,
    &own_workload_cacheline,	  NULL,
};
