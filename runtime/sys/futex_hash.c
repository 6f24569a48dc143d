#include "sys/futex_hash.h"

#include <sys/auxv.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "sys/call.h"

/* Older kernel headers lack these. */
#define PR_FUTEX_HASH_NUMBER	  78
#define PR_FUTEX_HASH_SET_SLOTS_1 1
#define PR_FUTEX_HASH_GET_SLOTS_2 2

static uint32_t rotate_left(uint32_t value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

/* Bob Jenkins' lookup3 final mix, as the kernel's jhash2 applies it to two words. */
static uint32_t jenkins_two_words(uint32_t first, uint32_t second, uint32_t seed)
{
	uint32_t a = UINT32_C(0xdeadbeef) + (2u << 2) + seed;
	uint32_t b = a;
	uint32_t c = a;

	a += first;
	b += second;
	c = (c ^ b) - rotate_left(b, 14);
	a = (a ^ c) - rotate_left(c, 11);
	b = (b ^ a) - rotate_left(a, 25);
	c = (c ^ b) - rotate_left(b, 16);
	a = (a ^ c) - rotate_left(c, 4);
	b = (b ^ a) - rotate_left(a, 14);
	c = (c ^ b) - rotate_left(b, 24);
	return c;
}

/* The offset is that in a page of the kernel's, whose size is its own choice on aarch64. */
static uint64_t offset_mask(void)
{
#if defined(__x86_64__)
	return 4095;
#else
	static _Atomic uint64_t mask;
	uint64_t known = own_load_relaxed(&mask);

	if (own_unlikely(known == 0)) {
		known = (uint64_t)getauxval(AT_PAGESZ) - 1;
		own_store_relaxed(&mask, known);
	}
	return known;
#endif
}

uint32_t own_futex_hash(const volatile void *word)
{
	uint64_t address = (uint64_t)(uintptr_t)word;
	uint64_t offset = address & offset_mask();
	uint64_t page = address - offset;

	return jenkins_two_words((uint32_t)page, (uint32_t)(page >> 32), (uint32_t)offset);
}

int own_futex_hash_slots(void)
{
	return (int)own_syscall6(SYS_prctl, PR_FUTEX_HASH_NUMBER, PR_FUTEX_HASH_GET_SLOTS_2, 0, 0,
				 0, 0);
}

int own_futex_hash_set_slots(uint32_t slots)
{
	return (int)own_syscall6(SYS_prctl, PR_FUTEX_HASH_NUMBER, PR_FUTEX_HASH_SET_SLOTS_1,
				 (long)slots, 0, 0, 0);
}

const char *own_futex_hash_why(int error)
{
	switch (error) {
	case -EINVAL:
		return "this kernel has no private futex hash; it takes Linux 6.17 or later";
	case -EBUSY:
		return "this process has given up its private futex hash for good; set the option "
		       "where it does so";
	case -ENOMEM:
		return "the kernel has no memory for so many slots; give fewer";
	default:
		return "the kernel refused prctl(PR_FUTEX_HASH); a seccomp filter may forbid it";
	}
}
