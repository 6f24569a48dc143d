/*
 * libownline-hash.so: preloaded by `ownline compare` into a program that is otherwise unmodified;
 * sets the size of the process's private futex hash (Linux 6.17 and later) and does nothing else.
 *
 * The kernel forgets the size at exec, where this library is loaded anew, and at fork, where a
 * handler sets it again. A child of vfork or _Fork that executes nothing starts with the kernel's
 * choice.
 */
#include "tools/compare/hash_size.h"

#include "sys/futex_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>

static uint32_t slots;

static void set_again(void)
{
	/* Nobody is there to be told, and the program runs on as well with the kernel's choice. */
	(void)own_futex_hash_set_slots(slots);
}

static void note(const char *path, int error)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	char line[64];
	int length = snprintf(line, sizeof(line), "%d %d\n", error, own_futex_hash_slots());

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
	slots = (uint32_t)number;
	error = -own_futex_hash_set_slots(slots);
	pthread_atfork(NULL, NULL, set_again);
	if (status != NULL)
		note(status, error);
	errno = saved;
}
