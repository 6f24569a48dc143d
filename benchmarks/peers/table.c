/*
 * A peer as a table. Compiled once per peer, with OWN_PEER_HEADER and OWN_PEER_TABLE, the name of
 * the object that it defines.
 */
#include "peers/table.h"

#ifdef OWN_PEER_TABLE_ADAPTIVE
#define own_peer_adaptive true
#define OWN_PEER_NAME	  "adaptive"
#elif defined(OWN_PEER_TABLE_PTHREAD)
#define own_peer_adaptive false
#endif

#include OWN_PEER_HEADER

static void table_mutex_init(void *mutex)
{
	own_peer_mutex_init(mutex);
}

static void table_mutex_destroy(void *mutex)
{
	own_peer_mutex_destroy(mutex);
}

static void table_lock(void *mutex)
{
	own_peer_lock(mutex);
}

static bool table_trylock(void *mutex)
{
	return own_peer_trylock(mutex);
}

static int table_timedlock(void *mutex, const struct timespec *deadline)
{
	return own_peer_timedlock(mutex, deadline);
}

static void table_unlock(void *mutex)
{
	own_peer_unlock(mutex);
}

static void table_cond_init(void *cond)
{
	own_peer_cond_init(cond);
}

static void table_cond_destroy(void *cond)
{
	own_peer_cond_destroy(cond);
}

static void table_wait(void *cond, void *mutex)
{
	own_peer_wait(cond, mutex);
}

static int table_timedwait(void *cond, void *mutex, const struct timespec *deadline)
{
	return own_peer_timedwait(cond, mutex, deadline);
}

static void table_signal(void *cond)
{
	own_peer_signal(cond);
}

static void table_broadcast(void *cond)
{
	own_peer_broadcast(cond);
}

const struct own_peer OWN_PEER_TABLE = {
    .name = OWN_PEER_NAME,
    .mutex_size = sizeof(struct own_peer_mutex),
    .mutex_align = _Alignof(struct own_peer_mutex),
    .cond_size = sizeof(struct own_peer_cond),
    .cond_align = _Alignof(struct own_peer_cond),
    .mutex_init = table_mutex_init,
    .mutex_destroy = table_mutex_destroy,
    .lock = table_lock,
    .trylock = table_trylock,
    .timedlock = table_timedlock,
    .unlock = table_unlock,
    .cond_init = table_cond_init,
    .cond_destroy = table_cond_destroy,
    .wait = table_wait,
    .timedwait = table_timedwait,
    .signal = table_signal,
    .broadcast = table_broadcast,
};
