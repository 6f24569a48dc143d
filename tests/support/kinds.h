/* Every kind of mutex that a process can make, for tests that must hold for each. */
#ifndef TESTS_SUPPORT_KINDS_H
#define TESTS_SUPPORT_KINDS_H

#include "support/check.h"

struct check_kind {
	const char *name;
	int type;
	int pshared;
	int robust;
	int protocol;
};

static const struct check_kind check_kinds[] = {
    {"normal", PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_NONE},
    {"recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, PTHREAD_PRIO_NONE},
    {"errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0, PTHREAD_PRIO_NONE},
    {"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0, PTHREAD_PRIO_NONE},
#ifndef OWNLINE_PTHREAD_H /* which refuses them */
    /* From here on the C library's own. */
    {"shared", PTHREAD_MUTEX_NORMAL, 1, 0, PTHREAD_PRIO_NONE},
    {"shared recursive", PTHREAD_MUTEX_RECURSIVE, 1, 0, PTHREAD_PRIO_NONE},
    {"robust", PTHREAD_MUTEX_NORMAL, 0, 1, PTHREAD_PRIO_NONE},
    {"robust errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 1, PTHREAD_PRIO_NONE},
    {"shared robust", PTHREAD_MUTEX_NORMAL, 1, 1, PTHREAD_PRIO_NONE},
    {"inherit", PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_INHERIT},
    {"inherit recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, PTHREAD_PRIO_INHERIT},
    {"shared inherit", PTHREAD_MUTEX_NORMAL, 1, 0, PTHREAD_PRIO_INHERIT},
    {"robust inherit", PTHREAD_MUTEX_NORMAL, 0, 1, PTHREAD_PRIO_INHERIT},
#endif
};

#define CHECK_KINDS	(sizeof(check_kinds) / sizeof(check_kinds[0]))
#define CHECK_OWN_KINDS 4 /* the first ones */

static inline void check_kind_init(const struct check_kind *kind, pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;

	CHECK_OK(pthread_mutexattr_init(&attributes));
	CHECK_OK(pthread_mutexattr_settype(&attributes, kind->type));
	if (kind->pshared)
		CHECK_OK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
	if (kind->robust)
		CHECK_OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
	if (kind->protocol != PTHREAD_PRIO_NONE)
		CHECK_OK(pthread_mutexattr_setprotocol(&attributes, kind->protocol));
	CHECK_OK(pthread_mutex_init(mutex, &attributes));
	CHECK_OK(pthread_mutexattr_destroy(&attributes));
}

static inline void check_type_init(pthread_mutex_t *mutex, int type)
{
	const struct check_kind kind = {"", type, 0, 0, PTHREAD_PRIO_NONE};

	check_kind_init(&kind, mutex);
}

/* Says on stdout which kind comes now, so that a failure names it. */
static inline void check_kind_announce(const struct check_kind *kind)
{
	printf("%s mutex\n", kind->name);
	fflush(stdout);
}

#endif
