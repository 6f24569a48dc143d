// abseil behind the C interface of foreign.h.
#include <new>

#include <absl/synchronization/mutex.h>
#include <absl/time/time.h>

#include "peers/abseil.h"

static_assert(sizeof(absl::Mutex) == OWN_FOREIGN_MUTEX, "size of absl::Mutex");
static_assert(sizeof(absl::CondVar) == OWN_FOREIGN_COND, "size of absl::CondVar");

static absl::Mutex *native(own_peer_mutex *mutex)
{
	return reinterpret_cast<absl::Mutex *>(mutex);
}

static absl::CondVar *native(own_peer_cond *cond)
{
	return reinterpret_cast<absl::CondVar *>(cond);
}

static absl::Time deadline(long seconds, long nanoseconds)
{
	return absl::FromUnixSeconds(seconds) + absl::Nanoseconds(nanoseconds);
}

// Debian's build has abseil's debug checks on; its deadlock detection costs more than the lock and
// is off in production builds.
static const bool detection_is_off = [] {
	absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
	return true;
}();

extern "C" {

void own_abseil_mutex_init(own_peer_mutex *mutex)
{
	new (mutex) absl::Mutex;
}

void own_abseil_mutex_destroy(own_peer_mutex *mutex)
{
	native(mutex)->~Mutex();
}

void own_abseil_lock(own_peer_mutex *mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS
{
	native(mutex)->Lock();
}

bool own_abseil_trylock(own_peer_mutex *mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS
{
	return native(mutex)->TryLock();
}

void own_abseil_unlock(own_peer_mutex *mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS
{
	native(mutex)->Unlock();
}

void own_abseil_cond_init(own_peer_cond *cond)
{
	new (cond) absl::CondVar;
}

void own_abseil_cond_destroy(own_peer_cond *cond)
{
	native(cond)->~CondVar();
}

void own_abseil_wait(own_peer_cond *cond, own_peer_mutex *mutex)
{
	native(cond)->Wait(native(mutex));
}

bool own_abseil_timedwait(own_peer_cond *cond, own_peer_mutex *mutex, long seconds,
			  long nanoseconds)
{
	return native(cond)->WaitWithDeadline(native(mutex), deadline(seconds, nanoseconds));
}

void own_abseil_signal(own_peer_cond *cond)
{
	native(cond)->Signal();
}

void own_abseil_broadcast(own_peer_cond *cond)
{
	native(cond)->SignalAll();
}
}
