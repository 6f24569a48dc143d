/*
 * Debuggers and crash tools read the owner's thread id at offset 8 and the kind at offset 16 of a
 * pthread_mutex_t. Ours takes a mutex in one step if its kind is zero: so it has to be for one that
 * was asked to be of the normal kind, where the C library sets a flag.
 */
#include "support/kinds.h"
#include "support/threads.h"

#include <stddef.h>

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int phase;

static int field(size_t offset)
{
	int value;

	memcpy(&value, (const char *)&mutex + offset, sizeof(value));
	return value;
}

static void *own(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_EQ(field(8), check_gettid());
	atomic_store(&phase, 1);
	while (atomic_load(&phase) == 1)
		check_sleep_ms(1);
	CHECK_OK(pthread_cond_wait(&cond, &mutex));
	CHECK_EQ(field(8), check_gettid());
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void check_owner(void)
{
	struct timespec soon = check_after_ms(CLOCK_REALTIME, 10000);
	struct check_thread owner;

	CHECK_EQ(field(8), 0);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_EQ(field(8), check_gettid());
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_EQ(field(8), 0);
	CHECK_OK(pthread_mutex_trylock(&mutex));
	CHECK_EQ(field(8), check_gettid());
	CHECK_OK(pthread_mutex_unlock(&mutex));
	CHECK_OK(pthread_mutex_timedlock(&mutex, &soon));
	CHECK_EQ(field(8), check_gettid());
	CHECK_OK(pthread_mutex_unlock(&mutex));

	atomic_store(&phase, 0);
	check_start(&owner, own, NULL);
	check_await(&phase, 1);
	CHECK_EQ(field(8), atomic_load(&owner.tid));
	atomic_store(&phase, 2);
	check_await_asleep(&owner);
	CHECK_EQ(field(8), 0);		      /* given back for the wait */
	CHECK_OK(pthread_mutex_lock(&mutex)); /* contended on the way back */
	CHECK_OK(pthread_cond_signal(&cond));
	check_sleep_ms(5);
	CHECK_EQ(field(8), check_gettid());
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&owner);
	CHECK_EQ(field(8), 0);
}

int main(void)
{
	check_begin();
	CHECK_EQ(offsetof(pthread_mutex_t, __data.__owner), 8);
	CHECK_EQ(offsetof(pthread_mutex_t, __data.__kind), 16);
	for (size_t k = 0; k < CHECK_OWN_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		CHECK_EQ(field(16) & 3, check_kinds[k].type);
		if (check_on_ownline() && check_kinds[k].type == PTHREAD_MUTEX_NORMAL)
			CHECK_EQ(field(16), 0);
		check_owner();
		CHECK_EQ(field(16) & 3, check_kinds[k].type);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
