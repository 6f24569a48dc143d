#include "posix/fallback.h"

#include <dlfcn.h>
#include <string.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/panic.h"

#if defined(__x86_64__)
#define BASE "GLIBC_2.2.5"
#define COND "GLIBC_2.3.2"
#else
#define BASE "GLIBC_2.17"
#define COND "GLIBC_2.17"
#endif

/*
 * In a program that is wholly static there is no other library to search: glibc's objects define
 * these names beside the public ones, which are ours there. A weak reference takes no object out of
 * an archive, so such a program is linked with -Wl,-u,NAME for those it needs (pkg-config --static
 * says so for all).
 */
#ifdef OWN_SHARED
#define STATIC_NAME(name) NULL
#else
#define FOR_EACH_STATIC_NAME(do)                                                                                                                                                   \
	do                                                                                                                                                                         \
	(mutex_init) do(mutex_destroy) do(mutex_lock) do(mutex_trylock) do(mutex_timedlock) do(mutex_clocklock) do(mutex_unlock) do(mutex_consistent) do(mutex_getprioceiling) do( \
	    mutex_setprioceiling) do(cond_init) do(cond_destroy) do(cond_wait) do(cond_timedwait) do(cond_clockwait) do(cond_signal) do(cond_broadcast) do(cancel)
#define DECLARE_STATIC_NAME(name) extern void __pthread_##name(void) OWN_WEAK;
FOR_EACH_STATIC_NAME(DECLARE_STATIC_NAME)
extern void *dlvsym(void *, const char *, const char *) OWN_WEAK;
/* Part of glibc's start in static programs and of no shared one. That dlvsym is there says nothing:
 * static programs have it as soon as they convert character sets. */
extern void _dl_non_dynamic_init(void) OWN_WEAK;
#define STATIC_NAME(name)	  __pthread_##name
#endif

struct wanted {
	size_t offset;
	const char *name;
	const char *versions[3]; /* the first that exists */
	void (*in_static_program)(void);
	bool optional;
};

#define WANT(field, optional, ...)                                                                 \
	{                                                                                          \
		offsetof(struct own_fallback, field), "pthread_" #field, {__VA_ARGS__},            \
		    STATIC_NAME(field), optional                                                   \
	}

static const struct wanted wanted[] = {
    WANT(mutex_init, false, BASE),
    WANT(mutex_destroy, false, BASE),
    WANT(mutex_lock, false, BASE),
    WANT(mutex_trylock, false, "GLIBC_2.34", BASE),
    WANT(mutex_timedlock, false, "GLIBC_2.34", BASE),
    WANT(mutex_clocklock, true, "GLIBC_2.34", "GLIBC_2.30"),
    WANT(mutex_unlock, false, BASE),
    WANT(mutex_consistent, false, "GLIBC_2.34", "GLIBC_2.12", BASE),
    WANT(mutex_getprioceiling, false, "GLIBC_2.34", "GLIBC_2.4", BASE),
    WANT(mutex_setprioceiling, false, "GLIBC_2.34", "GLIBC_2.4", BASE),
    WANT(cond_init, false, COND),
    WANT(cond_destroy, false, COND),
    WANT(cond_wait, false, COND),
    WANT(cond_timedwait, false, COND),
    WANT(cond_clockwait, true, "GLIBC_2.34", "GLIBC_2.30"),
    WANT(cond_signal, false, COND),
    WANT(cond_broadcast, false, COND),
    WANT(cancel, false, "GLIBC_2.34", BASE),
};

static struct own_fallback table;
static _Atomic bool table_ready;

#ifndef OWN_SHARED
/* What a wholly static program gets for a function that was not linked in. */
OWN_NORETURN OWN_COLD static void not_linked(void)
{
	own_panic("a process-shared, robust or priority object in a static program needs glibc's "
		  "own functions: link with what pkg-config --static --libs ownline prints",
		  NULL);
}
#endif

static void *find(const struct wanted *item)
{
	void *function = NULL;

#ifndef OWN_SHARED
	if (_dl_non_dynamic_init || !dlvsym) {
		void (*linked)(void) = item->in_static_program;

		if (!linked)
			linked = not_linked;
		memcpy(&function, &linked, sizeof(function));
		return function;
	}
#endif
	for (size_t i = 0; i < own_array_size(item->versions) && item->versions[i] && !function;
	     i++)
		function = dlvsym(RTLD_NEXT, item->name, item->versions[i]);
	return function;
}

/* Several threads may fill the table at once: they write the same values. */
OWN_COLD static void fill(void)
{
	for (size_t i = 0; i < own_array_size(wanted); i++) {
		void *function = find(&wanted[i]);

		if (!function && !wanted[i].optional)
			own_panic(
			    "the C library lacks a pthread function: this glibc is not supported",
			    wanted[i].name);
		memcpy((char *)&table + wanted[i].offset, &function, sizeof(function));
	}
	own_store_release(&table_ready, true);
}

const struct own_fallback *own_fallback(void)
{
	if (own_unlikely(!own_load_acquire(&table_ready)))
		fill();
	return &table;
}

/* Before threads exist, so that later uses only read. */
OWN_CONSTRUCTOR static void fill_early(void)
{
	(void)own_fallback();
}
