/* nsync (Debian: libnsync-dev). It has no timed lock. */
#ifndef OWN_PEERS_NSYNC_H
#define OWN_PEERS_NSYNC_H

#include <nsync.h>

#include "peers/peer.h"

#define OWN_PEER_NAME "nsync"

struct own_peer_mutex {
	nsync_mu native;
};

struct own_peer_cond {
	nsync_cv native;
};

static inline void own_peer_mutex_init(struct own_peer_mutex *mutex)
{
	nsync_mu_init(&mutex->native);
}

static inline void own_peer_mutex_destroy(struct own_peer_mutex *mutex)
{
	(void)mutex;
}

static inline void own_peer_lock(struct own_peer_mutex *mutex)
{
	nsync_mu_lock(&mutex->native);
}

static inline bool own_peer_trylock(struct own_peer_mutex *mutex)
{
	return nsync_mu_trylock(&mutex->native) != 0;
}

static inline int own_peer_timedlock(struct own_peer_mutex *mutex, const struct timespec *deadline)
{
	(void)mutex;
	(void)deadline;
	return ENOTSUP;
}

static inline void own_peer_unlock(struct own_peer_mutex *mutex)
{
	nsync_mu_unlock(&mutex->native);
}

static inline void own_peer_cond_init(struct own_peer_cond *cond)
{
	nsync_cv_init(&cond->native);
}

static inline void own_peer_cond_destroy(struct own_peer_cond *cond)
{
	(void)cond;
}

static inline void own_peer_wait(struct own_peer_cond *cond, struct own_peer_mutex *mutex)
{
	nsync_cv_wait(&cond->native, &mutex->native);
}

static inline int own_peer_timedwait(struct own_peer_cond *cond, struct own_peer_mutex *mutex,
				     const struct timespec *deadline)
{
	return nsync_cv_wait_with_deadline(&cond->native, &mutex->native, *deadline, NULL);
}

static inline void own_peer_signal(struct own_peer_cond *cond)
{
	nsync_cv_signal(&cond->native);
}

static inline void own_peer_broadcast(struct own_peer_cond *cond)
{
	nsync_cv_broadcast(&cond->native);
}

#endif
