/*
 * For libraries that C cannot call: functions of an adapter over opaque objects. The header that
 * includes this defines OWN_PEER_NAME, OWN_FOREIGN(name) as the adapter's symbol, and the sizes
 * OWN_FOREIGN_MUTEX and OWN_FOREIGN_COND, which the adapter checks when it is compiled. Without
 * OWN_FOREIGN_TIMEDLOCK the library has no lock that gives up at a deadline.
 */
#include "peers/peer.h"

struct own_peer_mutex {
	alignas(OWN_FOREIGN_MUTEX) unsigned char native[OWN_FOREIGN_MUTEX];
};

struct own_peer_cond {
	alignas(OWN_FOREIGN_COND) unsigned char native[OWN_FOREIGN_COND];
};

#ifdef __cplusplus
extern "C" {
#endif
void OWN_FOREIGN(mutex_init)(struct own_peer_mutex *mutex);
void OWN_FOREIGN(mutex_destroy)(struct own_peer_mutex *mutex);
void OWN_FOREIGN(lock)(struct own_peer_mutex *mutex);
bool OWN_FOREIGN(trylock)(struct own_peer_mutex *mutex);
bool OWN_FOREIGN(timedlock)(struct own_peer_mutex *mutex, long seconds, long nanoseconds);
void OWN_FOREIGN(unlock)(struct own_peer_mutex *mutex);
void OWN_FOREIGN(cond_init)(struct own_peer_cond *cond);
void OWN_FOREIGN(cond_destroy)(struct own_peer_cond *cond);
void OWN_FOREIGN(wait)(struct own_peer_cond *cond, struct own_peer_mutex *mutex);
bool OWN_FOREIGN(timedwait)(struct own_peer_cond *cond, struct own_peer_mutex *mutex, long seconds,
			    long nanoseconds); /* true: time-out */
void OWN_FOREIGN(signal)(struct own_peer_cond *cond);
void OWN_FOREIGN(broadcast)(struct own_peer_cond *cond);
#ifdef __cplusplus
}
#else

static inline void own_peer_mutex_init(struct own_peer_mutex *mutex)
{
	OWN_FOREIGN(mutex_init)(mutex);
}

static inline void own_peer_mutex_destroy(struct own_peer_mutex *mutex)
{
	OWN_FOREIGN(mutex_destroy)(mutex);
}

static inline void own_peer_lock(struct own_peer_mutex *mutex)
{
	OWN_FOREIGN(lock)(mutex);
}

static inline bool own_peer_trylock(struct own_peer_mutex *mutex)
{
	return OWN_FOREIGN(trylock)(mutex);
}

static inline int own_peer_timedlock(struct own_peer_mutex *mutex, const struct timespec *deadline)
{
#ifdef OWN_FOREIGN_TIMEDLOCK
	return OWN_FOREIGN(timedlock)(mutex, deadline->tv_sec, deadline->tv_nsec) ? 0 : ETIMEDOUT;
#else
	(void)mutex;
	(void)deadline;
	return ENOTSUP;
#endif
}

static inline void own_peer_unlock(struct own_peer_mutex *mutex)
{
	OWN_FOREIGN(unlock)(mutex);
}

static inline void own_peer_cond_init(struct own_peer_cond *cond)
{
	OWN_FOREIGN(cond_init)(cond);
}

static inline void own_peer_cond_destroy(struct own_peer_cond *cond)
{
	OWN_FOREIGN(cond_destroy)(cond);
}

static inline void own_peer_wait(struct own_peer_cond *cond, struct own_peer_mutex *mutex)
{
	OWN_FOREIGN(wait)(cond, mutex);
}

static inline int own_peer_timedwait(struct own_peer_cond *cond, struct own_peer_mutex *mutex,
				     const struct timespec *deadline)
{
	return OWN_FOREIGN(timedwait)(cond, mutex, deadline->tv_sec, deadline->tv_nsec) ? ETIMEDOUT
											: 0;
}

static inline void own_peer_signal(struct own_peer_cond *cond)
{
	OWN_FOREIGN(signal)(cond);
}

static inline void own_peer_broadcast(struct own_peer_cond *cond)
{
	OWN_FOREIGN(broadcast)(cond);
}
#endif
