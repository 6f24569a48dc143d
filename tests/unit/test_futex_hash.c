/* Known answers of the kernel's hash, and where parkers are placed by it. */
#include "sys/futex_hash.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/fork.h"
#include "core/parker_slab.h"

static const volatile void *at(uint64_t address)
{
	return (const volatile void *)(uintptr_t)address;
}

/* The kernel's own jhash2 over the two halves of the page address, compiled apart from this code.
 */
static uint32_t rol32(uint32_t word, unsigned shift)
{
	return (word << shift) | (word >> (32 - shift));
}

static uint32_t jhash2_of_two(const uint32_t *k, uint32_t initval)
{
	uint32_t a, b, c;

	a = b = c = 0xdeadbeefu + (2u << 2) + initval;
	b += k[1];
	a += k[0];
	c ^= b;
	c -= rol32(b, 14);
	a ^= c;
	a -= rol32(c, 11);
	b ^= a;
	b -= rol32(a, 25);
	c ^= b;
	c -= rol32(b, 16);
	a ^= c;
	a -= rol32(c, 4);
	b ^= a;
	b -= rol32(a, 14);
	c ^= b;
	c -= rol32(b, 24);
	return c;
}

static void the_hash_is_jhash2_of_page_and_offset(void **state)
{
	static const uint64_t addresses[] = {UINT64_C(0x55d0c0ffee40), UINT64_C(0x7f1234567ffc),
					     UINT64_C(0x1000), UINT64_C(0x7fffffffe004)};

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		uint64_t offset = addresses[i] % (uint64_t)sysconf(_SC_PAGESIZE);
		uint64_t page = addresses[i] - offset;
		uint32_t words[2] = {(uint32_t)page, (uint32_t)(page >> 32)};

		assert_int_equal(own_futex_hash(at(addresses[i])),
				 jhash2_of_two(words, (uint32_t)offset));
	}
}

static void a_smaller_table_takes_the_low_bits(void **state)
{
	(void)state;
	for (uint32_t slots = 2; slots <= 65536; slots *= 2)
		assert_int_equal(own_futex_bucket(at(0x7f1234567ffc), slots),
				 own_futex_hash(at(0x7f1234567ffc)) % slots);
}

/* At the addresses that this process has. */
static void parkers_spread_over_the_buckets(void **state)
{
	unsigned used[16] = {0};
	struct own_parker *parkers[64];

	(void)state;
	for (size_t i = 0; i < own_array_size(parkers); i++) {
		parkers[i] = own_parker_slab_take();
		assert_non_null(parkers[i]);
		assert_int_equal(parkers[i]->bucket,
				 own_futex_bucket(&parkers[i]->word, OWN_PARKER_BUCKETS));
		assert_int_equal(used[parkers[i]->bucket % 16]++, i / 16);
	}
	for (size_t i = 0; i < own_array_size(parkers); i++)
		own_parker_slab_give(parkers[i], own_generation_now());
}

static void many_parkers_are_all_different(void **state)
{
	static struct own_parker *parkers[1000];

	(void)state;
	for (size_t i = 0; i < own_array_size(parkers); i++) {
		parkers[i] = own_parker_slab_take();
		assert_non_null(parkers[i]);
		assert_int_equal(parkers[i]->busy, 0);
		parkers[i]->busy = 1;
	}
	for (size_t i = 0; i < own_array_size(parkers); i++) {
		parkers[i]->busy = 0;
		own_parker_slab_give(parkers[i], own_generation_now());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_hash_is_jhash2_of_page_and_offset),
	    cmocka_unit_test(a_smaller_table_takes_the_low_bits),
	    cmocka_unit_test(parkers_spread_over_the_buckets),
	    cmocka_unit_test(many_parkers_are_all_different),
	};

	return cmocka_run_group_tests_name("futex_hash", tests, NULL, NULL);
}
