/* ownline_cond_*: what the inline functions of ownline/cond.h leave to the library. */
#include <ownline/cond.h>

#include <string.h>

#include "native/object.h"
#include "stats/counters.h"

static int unlock_plain(void *mutex)
{
	own_mutex_wait_begins(mutex);
	own_native_unlock(mutex);
	return 0;
}

static int lock_plain(void *mutex, const void *site)
{
	int result = own_native_lock(mutex, NULL, site);

	own_mutex_wait_ended(mutex);
	return result;
}

static void now_held(void *mutex)
{
	own_mutex_wait_ended(mutex);
}

int own_native_wait(struct own_cond *cond, const struct own_relock *relock,
		    const struct own_deadline *deadline, const void *site)
{
	int type;
	int result;

	/* Asynchronous cancellation would leave a parker in the queue; deferred, the core looks for
	 * it. Setting it back acts on what has come meanwhile, with the mutex held. */
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	result = own_cond_wait(cond, relock, deadline, site);
	if (own_unlikely(type != PTHREAD_CANCEL_DEFERRED))
		(void)pthread_setcanceltype(type, NULL);
	return result;
}

static int wait_plain(struct ownline_cond *cond, struct ownline_mutex *mutex,
		      const struct own_deadline *deadline, const void *site)
{
	const struct own_relock relock = {
	    .object = mutex,
	    .requeue = own_native_mutex(mutex),
	    .unlock = unlock_plain,
	    .lock = lock_plain,
	    .locked = now_held,
	    .test_cancel = pthread_testcancel,
	};

	return own_native_wait(own_native_cond(cond), &relock, deadline, site);
}

OWN_EXPORT void ownline_cond_init(struct ownline_cond *cond)
{
	memset(cond, 0, sizeof(*cond));
}

OWN_EXPORT void ownline_cond_destroy(struct ownline_cond *cond)
{
	own_cond_destroy(own_native_cond(cond));
	own_record_clear_name(cond);
}

OWN_EXPORT void ownline_cond_wait_slow_(struct ownline_cond *cond, struct ownline_mutex *mutex)
{
	(void)wait_plain(cond, mutex, NULL, OWN_CALLER()); /* nothing of it can fail */
}

OWN_EXPORT int ownline_cond_wait_until_slow_(struct ownline_cond *cond, struct ownline_mutex *mutex,
					     clockid_t clock, const struct timespec *time)
{
	struct own_deadline deadline;
	int result = own_deadline_make(&deadline, clock, time);

	return result != 0 ? result : wait_plain(cond, mutex, &deadline, OWN_CALLER());
}

OWN_EXPORT void ownline_cond_signal_slow_(struct ownline_cond *cond)
{
	own_cond_signal(own_native_cond(cond));
}

OWN_EXPORT void ownline_cond_broadcast_slow_(struct ownline_cond *cond)
{
	own_cond_broadcast(own_native_cond(cond));
}

OWN_EXPORT int ownline_cond_set_name(const struct ownline_cond *cond, const char *name)
{
	return own_record_set_name(cond, name) ? 0 : ENOSPC;
}
