/*
 * Reads "name version" lines (exported_symbols.sh --list) from stdin: dlsym, dlvsym with each
 * version and a direct reference of this program must meet one address of a name, inside
 * libownline.so.
 */
#include "support/check.h"

#include <threads.h>

#define LIBRARY "libownline.so"

#define NAMES(NAME)                                                                                \
	NAME(cnd_broadcast)                                                                        \
	NAME(cnd_destroy)                                                                          \
	NAME(cnd_init)                                                                             \
	NAME(cnd_signal)                                                                           \
	NAME(cnd_timedwait)                                                                        \
	NAME(cnd_wait)                                                                             \
	NAME(mtx_destroy)                                                                          \
	NAME(mtx_init)                                                                             \
	NAME(mtx_lock)                                                                             \
	NAME(mtx_timedlock)                                                                        \
	NAME(mtx_trylock)                                                                          \
	NAME(mtx_unlock)                                                                           \
	NAME(pthread_cancel)                                                                       \
	NAME(pthread_cond_broadcast)                                                               \
	NAME(pthread_cond_clockwait)                                                               \
	NAME(pthread_cond_destroy)                                                                 \
	NAME(pthread_cond_init)                                                                    \
	NAME(pthread_cond_signal)                                                                  \
	NAME(pthread_cond_timedwait)                                                               \
	NAME(pthread_cond_wait)                                                                    \
	NAME(pthread_mutex_clocklock)                                                              \
	NAME(pthread_mutex_consistent)                                                             \
	NAME(pthread_mutex_destroy)                                                                \
	NAME(pthread_mutex_getprioceiling)                                                         \
	NAME(pthread_mutex_init)                                                                   \
	NAME(pthread_mutex_lock)                                                                   \
	NAME(pthread_mutex_setprioceiling)                                                         \
	NAME(pthread_mutex_timedlock)                                                              \
	NAME(pthread_mutex_trylock)                                                                \
	NAME(pthread_mutex_unlock)

static const struct {
	const char *name;
	uintptr_t address;
} direct[] = {
#define NAME(name) {#name, (uintptr_t)name},
    NAMES(NAME)
#undef NAME
};

static int faults;

static void expect_same(const char *name, const char *version, const char *how, const void *got,
			const void *want)
{
	if (got == want)
		return;
	printf("%s: %s says %p, dlvsym with %s %p\n", name, how, got, version, want);
	faults++;
}

static void check_name(const char *name, const char *version)
{
	void *found = dlvsym(RTLD_DEFAULT, name, version);
	void *newest = dlsym(RTLD_DEFAULT, name);
	Dl_info info;

	if (!found || !dladdr(found, &info) || !strstr(info.dli_fname, LIBRARY)) {
		printf("%s@%s: not in %s\n", name, version, LIBRARY);
		faults++;
	}
	if (newest) /* NULL where glibc keeps old versions only, for old programs */
		expect_same(name, version, "dlsym", newest, found);
	for (size_t i = 0; i < sizeof(direct) / sizeof(direct[0]); i++)
		if (!strcmp(direct[i].name, name))
			expect_same(name, version, "the program", (void *)direct[i].address, found);
}

int main(void)
{
	char name[128], version[64];
	int count = 0;

	for (; scanf("%127s %63s", name, version) == 2; count++)
		check_name(name, version);
	printf("%d versioned names, %d faults\n", count, faults);
	CHECK(count >= 30);
	return faults != 0;
}
