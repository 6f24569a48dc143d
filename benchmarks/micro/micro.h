/* Registration of the micro-benchmarks of one peer. */
#ifndef OWN_MICRO_MICRO_H
#define OWN_MICRO_MICRO_H

#include "peers/table.h"
#include "shim/bench.h"

void own_micro_register_mutex(const struct own_peer *peer);
void own_micro_register_cond(const struct own_peer *peer);

/* Registers a benchmark under NAME/PEER. */
void own_micro_register(const char *name, const struct own_peer *peer, struct own_bench bench);

/* Objects of a peer side by side, zeroed; ends the program if there is no memory. */
void *own_micro_allocate(size_t count, size_t size, size_t align);

#endif
