/* ownline's own types, each filling a cacheline, with their inline fast path. */
#ifndef OWN_PEERS_NATIVE_H
#define OWN_PEERS_NATIVE_H

#include <ownline/ownline.h>

#include "peers/peer.h"

#define OWN_PEER_NAME "ownline-native"

struct own_peer_mutex {
	struct ownline_mutex native;
};

struct own_peer_cond {
	struct ownline_cond native;
};

static inline void own_peer_mutex_init(struct own_peer_mutex *mutex)
{
	ownline_mutex_init(&mutex->native);
}

static inline void own_peer_mutex_destroy(struct own_peer_mutex *mutex)
{
	ownline_mutex_destroy(&mutex->native);
}

static inline void own_peer_lock(struct own_peer_mutex *mutex)
{
	ownline_mutex_lock(&mutex->native);
}

static inline bool own_peer_trylock(struct own_peer_mutex *mutex)
{
	return ownline_mutex_trylock(&mutex->native) == 0;
}

static inline int own_peer_timedlock(struct own_peer_mutex *mutex, const struct timespec *deadline)
{
	return ownline_mutex_lock_until(&mutex->native, CLOCK_REALTIME, deadline);
}

static inline void own_peer_unlock(struct own_peer_mutex *mutex)
{
	ownline_mutex_unlock(&mutex->native);
}

static inline void own_peer_cond_init(struct own_peer_cond *cond)
{
	ownline_cond_init(&cond->native);
}

static inline void own_peer_cond_destroy(struct own_peer_cond *cond)
{
	ownline_cond_destroy(&cond->native);
}

static inline void own_peer_wait(struct own_peer_cond *cond, struct own_peer_mutex *mutex)
{
	ownline_cond_wait(&cond->native, &mutex->native);
}

static inline int own_peer_timedwait(struct own_peer_cond *cond, struct own_peer_mutex *mutex,
				     const struct timespec *deadline)
{
	return ownline_cond_wait_until(&cond->native, &mutex->native, CLOCK_REALTIME, deadline);
}

static inline void own_peer_signal(struct own_peer_cond *cond)
{
	ownline_cond_signal(&cond->native);
}

static inline void own_peer_broadcast(struct own_peer_cond *cond)
{
	ownline_cond_broadcast(&cond->native);
}

#endif
