/*
 * What programs were compiled with: sizes, alignment and static initialisers of the pthread
 * objects. The fields that others read: owner at 8 and kind at 16 of a mutex.
 */
#include "support/check.h"

#include <stdalign.h>
#include <stddef.h>
#include <threads.h>

#if __SIZEOF_POINTER__ == 8 && defined(__x86_64__)
_Static_assert(sizeof(pthread_mutex_t) == 40, "mutex");
#elif defined(__aarch64__)
_Static_assert(sizeof(pthread_mutex_t) == 48, "mutex");
#endif
_Static_assert(sizeof(pthread_cond_t) == 48, "condition variable");
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "C11 mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "C11 condition variable");
_Static_assert(alignof(pthread_mutex_t) == 8, "mutex");
_Static_assert(alignof(pthread_cond_t) == 8, "condition variable");
_Static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0, "lock");
_Static_assert(offsetof(pthread_mutex_t, __data.__count) == 4, "count");
_Static_assert(offsetof(pthread_mutex_t, __data.__owner) == 8, "owner");
_Static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16, "kind");

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static int is_zero(const void *memory, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const unsigned char *)memory)[i])
			return 0;
	return 1;
}

/* Objects of a size stand side by side: nothing may be written beyond them. */
static void check_neighbours(void)
{
	struct {
		unsigned char before[64];
		pthread_mutex_t mutex;
		unsigned char between[64];
		pthread_cond_t cond;
		unsigned char after[64];
	} object;
	struct timespec past = {0, 0};

	memset(&object, 0xa5, sizeof(object));
	CHECK_OK(pthread_mutex_init(&object.mutex, NULL));
	CHECK_OK(pthread_cond_init(&object.cond, NULL));
	CHECK_OK(pthread_mutex_lock(&object.mutex));
	CHECK_ERR(pthread_mutex_timedlock(&object.mutex, &past), ETIMEDOUT);
	CHECK_ERR(pthread_cond_timedwait(&object.cond, &object.mutex, &past), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&object.mutex));
	CHECK_OK(pthread_cond_destroy(&object.cond));
	CHECK_OK(pthread_mutex_destroy(&object.mutex));
	for (int i = 0; i < 64; i++) {
		CHECK_EQ(object.before[i], 0xa5);
		CHECK_EQ(object.between[i], 0xa5);
		CHECK_EQ(object.after[i], 0xa5);
	}
}

/* A mutex that was made by init has the bytes of the static one of its kind. */
static void check_fresh(const pthread_mutex_t *initialised, int type)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_OK(pthread_mutexattr_settype(&attributes, type));
	CHECK_OK(pthread_mutex_init(&mutex, &attributes));
	CHECK_EQ(mutex.__data.__kind & 3, type);
	mutex.__data.__kind &= 3; /* glibc marks that the type was given */
	CHECK(!memcmp(&mutex, initialised, sizeof(mutex)));
}

int main(void)
{
	pthread_mutex_t mutex;
	pthread_cond_t cond;

	check_begin();
	CHECK(is_zero(&plain, sizeof(plain)));
	check_fresh(&plain, PTHREAD_MUTEX_NORMAL);
	check_fresh(&recursive, PTHREAD_MUTEX_RECURSIVE);
	check_fresh(&errorcheck, PTHREAD_MUTEX_ERRORCHECK);
	check_fresh(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
	memset(&mutex, 0xff, sizeof(mutex));
	memset(&cond, 0xff, sizeof(cond));
	CHECK_OK(pthread_mutex_init(&mutex, NULL));
	CHECK_OK(pthread_cond_init(&cond, NULL));
	CHECK(is_zero(&mutex, sizeof(mutex)));
	CHECK(is_zero(&cond, sizeof(cond)));
	check_neighbours();
	return 0;
}
