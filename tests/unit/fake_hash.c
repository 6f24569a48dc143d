#include "fake_hash.h"

#include <stddef.h>

uint32_t (*fake_hash)(unsigned call, const volatile void *word);
int fake_hash_slots;
static unsigned calls;

uint32_t own_futex_hash(const volatile void *word)
{
	unsigned call = calls++;

	return fake_hash ? fake_hash(call, word) : (uint32_t)((uintptr_t)word / 4);
}

int own_futex_hash_slots(void)
{
	return fake_hash_slots;
}

int own_futex_hash_set_slots(uint32_t slots)
{
	fake_hash_slots = (int)slots;
	return 0;
}

const char *own_futex_hash_why(int error)
{
	(void)error;
	return "as the test says";
}
