/* ownline_mutex_*: what the inline functions of ownline/mutex.h leave to the library. */
#include <ownline/mutex.h>

#include <string.h>

#include "base/panic.h"
#include "native/object.h"
#include "stats/counters.h"

OWN_EXPORT void ownline_mutex_init(struct ownline_mutex *mutex)
{
	own_mutex_forget_held(mutex);
	memset(mutex, 0, sizeof(*mutex));
}

OWN_EXPORT int ownline_mutex_destroy(struct ownline_mutex *mutex)
{
	struct own_mutex *core = own_native_mutex(mutex);

	if ((own_load_relaxed(&core->word) & OWN_LOCKED) || own_mutex_has_waits(core))
		return EBUSY;
	own_mutex_forget_held(mutex);
	own_record_clear_name(mutex);
	return 0;
}

OWN_EXPORT void ownline_mutex_lock_slow_(struct ownline_mutex *mutex)
{
	if (own_native_lock(own_native_mutex(mutex), NULL, OWN_CALLER()) != 0)
		own_panic("a lock without a deadline timed out", mutex);
}

OWN_EXPORT int ownline_mutex_trylock_slow_(struct ownline_mutex *mutex)
{
	if (!own_mutex_trylock(own_native_mutex(mutex)))
		return EBUSY;
	own_mutex_taken(own_native_mutex(mutex));
	return 0;
}

OWN_EXPORT int ownline_mutex_lock_until_slow_(struct ownline_mutex *mutex, clockid_t clock,
					      const struct timespec *time)
{
	struct own_deadline deadline;
	int result;

	/* As with pthread_mutex_clocklock: the time is looked at only where it is needed. */
	if (ownline_mutex_trylock_slow_(mutex) == 0)
		return 0;
	result = own_deadline_make(&deadline, clock, time);
	if (result != 0)
		return result;
	return own_native_lock(own_native_mutex(mutex), &deadline, OWN_CALLER());
}

OWN_EXPORT void ownline_mutex_unlock_slow_(struct ownline_mutex *mutex)
{
	own_native_unlock(own_native_mutex(mutex));
}

OWN_EXPORT int ownline_mutex_set_name(const struct ownline_mutex *mutex, const char *name)
{
	return own_record_set_name(mutex, name) ? 0 : ENOSPC;
}
