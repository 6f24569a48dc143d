/*
 * libownline-hash.so: preloaded by `ownline compare` into a program that is otherwise unmodified;
 * sets the size of the process's private futex hash (Linux 6.17 and later) and does nothing else.
 *
 * The kernel forgets the size at exec, where this library is loaded anew, and at fork, where a
 * handler sets it again. A child of vfork or _Fork that executes nothing starts with the kernel's
 * choice.
 */
#include "tools/compare/hash_size.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static unsigned long slots;

static int set_slots(void)
{
	if (prctl(OWN_PR_FUTEX_HASH, OWN_PR_FUTEX_HASH_SET_SLOTS, slots, 0UL, 0UL) != 0)
		return errno;
	return 0;
}

static void set_again(void)
{
	int saved = errno;

	set_slots();
	errno = saved;
}

static void note(const char *path, int error)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	char line[64];
	int got = prctl(OWN_PR_FUTEX_HASH, OWN_PR_FUTEX_HASH_GET_SLOTS, 0UL, 0UL, 0UL);
	int length = snprintf(line, sizeof(line), "%d %d\n", error, got);

	if (fd < 0)
		return;
	if (write(fd, line, (size_t)length) != length)
		errno = 0;
	close(fd);
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;
	const char *wanted = secure_getenv(OWN_HASH_SLOTS_ENVIRONMENT);
	const char *status = secure_getenv(OWN_HASH_STATUS_ENVIRONMENT);
	char *end;
	long number;
	int error;

	if (wanted == NULL)
		return;
	number = strtol(wanted, &end, 10);
	/* 1 << 32 would be taken for 0, and that for good. */
	if (end == wanted || *end != '\0' || number < 0 || number > OWN_HASH_MAX_SLOTS)
		return;
	slots = (unsigned long)number;
	error = set_slots();
	pthread_atfork(NULL, NULL, set_again);
	if (status != NULL)
		note(status, error);
	errno = saved;
}
