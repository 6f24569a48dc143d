/*
 * The pthread functions: glibc's, or a library's that is preloaded or linked in their place.
 * own_peer_adaptive selects PTHREAD_MUTEX_ADAPTIVE_NP for mutexes that are initialised later.
 */
#ifndef OWN_PEERS_PTHREAD_H
#define OWN_PEERS_PTHREAD_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers/peer.h"

#ifndef OWN_PEER_NAME
#define OWN_PEER_NAME "pthread"
#endif
#define OWN_PEER_HAS_ADAPTIVE 1

#ifndef own_peer_adaptive
extern bool own_peer_adaptive;
#endif

struct own_peer_mutex {
	pthread_mutex_t posix;
};

struct own_peer_cond {
	pthread_cond_t posix;
};

static inline void own_peer_mutex_init(struct own_peer_mutex *mutex)
{
	pthread_mutexattr_t attribute;

	if (pthread_mutexattr_init(&attribute))
		abort();
	if (own_peer_adaptive && pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_ADAPTIVE_NP))
		abort();
	if (pthread_mutex_init(&mutex->posix, &attribute))
		abort();
	pthread_mutexattr_destroy(&attribute);
}

static inline void own_peer_mutex_destroy(struct own_peer_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->posix);
}

static inline void own_peer_lock(struct own_peer_mutex *mutex)
{
	pthread_mutex_lock(&mutex->posix);
}

static inline bool own_peer_trylock(struct own_peer_mutex *mutex)
{
	return pthread_mutex_trylock(&mutex->posix) == 0;
}

static inline int own_peer_timedlock(struct own_peer_mutex *mutex, const struct timespec *deadline)
{
	return pthread_mutex_timedlock(&mutex->posix, deadline);
}

static inline void own_peer_unlock(struct own_peer_mutex *mutex)
{
	pthread_mutex_unlock(&mutex->posix);
}

static inline void own_peer_cond_init(struct own_peer_cond *cond)
{
	if (pthread_cond_init(&cond->posix, NULL))
		abort();
}

static inline void own_peer_cond_destroy(struct own_peer_cond *cond)
{
	pthread_cond_destroy(&cond->posix);
}

static inline void own_peer_wait(struct own_peer_cond *cond, struct own_peer_mutex *mutex)
{
	pthread_cond_wait(&cond->posix, &mutex->posix);
}

static inline int own_peer_timedwait(struct own_peer_cond *cond, struct own_peer_mutex *mutex,
				     const struct timespec *deadline)
{
	return pthread_cond_timedwait(&cond->posix, &mutex->posix, deadline);
}

static inline void own_peer_signal(struct own_peer_cond *cond)
{
	pthread_cond_signal(&cond->posix);
}

static inline void own_peer_broadcast(struct own_peer_cond *cond)
{
	pthread_cond_broadcast(&cond->posix);
}

#endif
