/*
 * own-micro: single operations of every peer that was found, over Google Benchmark.
 * own-micro-ownline: the same of the library, linked, and of its own types.
 *
 * Each call goes through a table of function pointers, which costs every peer the same fraction of
 * a nanosecond; own-workload measures direct calls.
 */
#include "micro/micro.h"

static const struct own_peer *const peers[] = {
#ifdef OWN_HAVE_PTHREAD
    &own_peer_pthread_table,
#endif
#ifdef OWN_HAVE_ADAPTIVE
    &own_peer_adaptive_table,
#endif
#ifdef OWN_HAVE_NSYNC
    &own_peer_nsync_table,
#endif
#ifdef OWN_HAVE_ABSEIL
    &own_peer_abseil_table,
#endif
#ifdef OWN_HAVE_PARKING_LOT
    &own_peer_parking_lot_table,
#endif
#ifdef OWN_HAVE_LINKED
    &own_peer_linked_table,
#endif
#ifdef OWN_HAVE_NATIVE
    &own_peer_native_table,
#endif
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		own_micro_register_mutex(peers[i]);
		own_micro_register_cond(peers[i]);
	}
	return own_bench_main(argc, argv);
}
