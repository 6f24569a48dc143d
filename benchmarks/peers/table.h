/* The peers that were compiled in, as tables. The macros OWN_HAVE_* come from the build. */
#ifndef OWN_PEERS_TABLE_H
#define OWN_PEERS_TABLE_H

#include "peers/peer.h"

extern const struct own_peer own_peer_pthread_table;
extern const struct own_peer own_peer_adaptive_table;
extern const struct own_peer own_peer_nsync_table;
extern const struct own_peer own_peer_abseil_table;
extern const struct own_peer own_peer_parking_lot_table;
extern const struct own_peer own_peer_linked_table;
extern const struct own_peer own_peer_native_table;

#endif
