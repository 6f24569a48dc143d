/*
 * abseil's Mutex and CondVar (Debian: libabsl-dev), through abseil.cc. LockWhenWithDeadline
 * waits for the mutex past its deadline, so there is no timed lock.
 */
#ifndef OWN_PEERS_ABSEIL_H
#define OWN_PEERS_ABSEIL_H

#include <stdalign.h>

#define OWN_PEER_NAME	  "abseil"
#define OWN_FOREIGN(name) own_abseil_##name
#define OWN_FOREIGN_MUTEX 8
#define OWN_FOREIGN_COND  8

#include "peers/foreign.h"

#endif
