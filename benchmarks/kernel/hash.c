/* The private hash of futexes, chosen by prctl (Linux 6.17 and later). */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH		78
#define PR_FUTEX_HASH_SET_SLOTS 1
#define PR_FUTEX_HASH_GET_SLOTS 2
#endif

/* The kernel changes tables at one of the next futex operations, once nobody uses the old one. */
#define SETTLE_MS 2000

long own_futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
}

int own_hash_slots(void)
{
	return prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_GET_SLOTS, 0UL, 0UL, 0UL);
}

static void *sleep_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void settle(unsigned slots)
{
	static atomic_uint word;

	for (int i = 0; i < SETTLE_MS && own_hash_slots() != (int)slots; i++) {
		own_futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
		usleep(1000);
	}
	if (own_hash_slots() != (int)slots)
		own_fault("the kernel took %u slots but uses %d", slots, own_hash_slots());
}

bool own_enter_hash(const struct own_hash *hash)
{
	bool chosen = hash->kind == OWN_HASH_GLOBAL || hash->kind == OWN_HASH_SLOTS;
	unsigned long slots = hash->kind == OWN_HASH_SLOTS ? hash->slots : 0;
	pthread_t second;

	if (chosen && prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, slots, 0UL, 0UL)) {
		if (errno == EINVAL && own_hash_slots() < 0)
			return false;
		own_fault("the kernel refuses %lu slots: %s", slots, strerror(errno));
	}
	if (hash->kind != OWN_HASH_NONE && pthread_create(&second, NULL, sleep_for_ever, NULL))
		own_fault("cannot create a second thread");
	if (chosen)
		settle((unsigned)slots);
	return true;
}
