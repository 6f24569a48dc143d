/* parking_lot's Mutex<()> and Condvar (Debian: librust-parking-lot-dev), through parking_lot/. */
#ifndef OWN_PEERS_PARKING_LOT_H
#define OWN_PEERS_PARKING_LOT_H

#include <stdalign.h>

#define OWN_PEER_NAME	  "parking_lot"
#define OWN_FOREIGN(name) own_parking_lot_##name
#define OWN_FOREIGN_MUTEX 1
#define OWN_FOREIGN_COND  8
#define OWN_FOREIGN_TIMEDLOCK

#include "peers/foreign.h"

#endif
