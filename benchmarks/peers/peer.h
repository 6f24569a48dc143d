/*
 * One C interface to every lock library that the benchmarks compare.
 *
 * A workload is compiled once per peer against inline functions, so that the compiler emits the
 * call a user of that library would get: a table of function pointers would add its own cost to
 * the uncontended figures and flatter the slower peer. The peer is chosen with
 * -DOWN_PEER_HEADER='"peers/NAME.h"'; without it the pthread functions are measured.
 *
 * A peer header defines
 *     OWN_PEER_NAME                          a string
 *     struct own_peer_mutex, struct own_peer_cond
 *     own_peer_mutex_init / _destroy, own_peer_cond_init / _destroy
 *     own_peer_lock, own_peer_unlock
 *     own_peer_trylock                       true: the mutex is now held
 *     own_peer_timedlock                     0, ETIMEDOUT, or ENOTSUP where the library has none
 *     own_peer_wait, own_peer_timedwait      0 or ETIMEDOUT; spurious returns are allowed
 *     own_peer_signal, own_peer_broadcast
 * Deadlines are absolute CLOCK_REALTIME. Failures of initialisation end the program.
 *
 * struct own_peer is the same interface as a table (peers/table.h makes one from a peer header),
 * for programs that compare several libraries in one process.
 */
#ifndef OWN_PEERS_PEER_H
#define OWN_PEERS_PEER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#ifndef OWN_PEER_HEADER
#define OWN_PEER_HEADER "peers/pthread.h"
#endif

struct own_peer {
	const char *name;
	size_t mutex_size;
	size_t mutex_align;
	size_t cond_size;
	size_t cond_align;
	void (*mutex_init)(void *mutex);
	void (*mutex_destroy)(void *mutex);
	void (*lock)(void *mutex);
	bool (*trylock)(void *mutex);
	int (*timedlock)(void *mutex, const struct timespec *deadline);
	void (*unlock)(void *mutex);
	void (*cond_init)(void *cond);
	void (*cond_destroy)(void *cond);
	void (*wait)(void *cond, void *mutex);
	int (*timedwait)(void *cond, void *mutex, const struct timespec *deadline);
	void (*signal)(void *cond);
	void (*broadcast)(void *cond);
};

#endif
