/* Counters, thread slots, lock records, names, and what happens to them at fork. */
#include "stats/counters.h"
#include "stats/histogram.h"
#include "stats/modules.h"
#include "stats/records.h"

#include "support/sanitizers.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test that fills the segment runs in a child, where all is fresh. */
static int run_in_child(void (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		own_stats_after_fork();
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define expect(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_error("line %d: %s\n", __LINE__, #condition);                        \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void histogram_buckets_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(own_histogram_bucket(0), 0);
	assert_int_equal(own_histogram_bucket(1), 0);
	assert_int_equal(own_histogram_bucket(2), 1);
	assert_int_equal(own_histogram_bucket(3), 1);
	assert_int_equal(own_histogram_bucket(1023), 9);
	assert_int_equal(own_histogram_bucket(1024), 10);
	assert_int_equal(own_histogram_bucket(UINT64_MAX), OWN_HISTOGRAM_BUCKETS - 1);
	for (unsigned bucket = 1; bucket < OWN_HISTOGRAM_BUCKETS; bucket++) {
		assert_int_equal(own_histogram_bucket(own_histogram_start(bucket)), bucket);
		assert_int_equal(own_histogram_bucket(own_histogram_start(bucket) - 1), bucket - 1);
	}
}

static void a_wait_is_counted_once_everywhere(void **state)
{
	struct own_counters sum;
	struct own_counters *mine = own_counters_attach();
	struct own_counters *shared = own_counters_shared();

	(void)state;
	assert_non_null(mine);
	assert_false(own_counters_is_shared(mine));
	assert_true(own_counters_is_shared(shared));
	errno = 4711;
	own_counters_wait(mine, OWN_WAIT_MISMATCH, 1500);
	own_counters_wait(shared, OWN_WAIT_MISMATCH, 500);
	own_counters_raise(mine, &mine->longest_wait_ns, 10);
	own_counters_raise(mine, &mine->longest_wait_ns, 7);
	own_counters_raise(shared, &shared->longest_wait_ns, 9);
	own_counters_add(shared, &shared->wakes, 3);
	own_counters_add(mine, &mine->wakes, 4);
	assert_int_equal(errno, 4711);
	own_counters_sum(own_stats_segment(), &sum);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].count, 2);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].time_ns, 2000);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].histogram[10], 1);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].histogram[8], 1);
	assert_int_equal(sum.waits[OWN_WAIT_WOKEN].count, 0);
	assert_int_equal(sum.longest_wait_ns, 10);
	assert_int_equal(sum.wakes, 7);
	own_counters_detach(mine);
	/* What an ended thread counted still counts. */
	own_counters_sum(own_stats_segment(), &sum);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].count, 2);
	assert_false(own_segment_is_quiet(own_stats_segment()));
	own_stats_reset();
	own_counters_sum(own_stats_segment(), &sum);
	assert_int_equal(sum.waits[OWN_WAIT_MISMATCH].count, 0);
	assert_int_equal(sum.longest_wait_ns, 0);
	assert_true(own_segment_is_quiet(own_stats_segment()));
}

static void slots_body(void)
{
	static struct own_counters *taken[OWN_THREADS];
	struct own_segment *segment = own_stats_segment();

	for (int i = 0; i < OWN_THREADS; i++) {
		taken[i] = own_counters_attach();
		expect(taken[i] != NULL);
		for (int other = 0; other < i; other += 97)
			expect(taken[i] != taken[other]);
	}
	expect(own_counters_attach() == NULL);
	expect(own_load_relaxed(&segment->threads_overflow) == 1);
	own_counters_detach(taken[5]);
	own_counters_detach(taken[700]);
	own_counters_detach(NULL);
	own_counters_detach(own_counters_shared());
	expect(own_counters_attach() == taken[5]);
	expect(own_counters_attach() == taken[700]);
	expect(own_counters_attach() == NULL);
}

static void slots_run_out_and_come_back(void **state)
{
	(void)state;
	assert_int_equal(run_in_child(slots_body), 0);
}

static long page_faults(void)
{
	struct rusage usage;

	expect(getrusage(RUSAGE_SELF, &usage) == 0);
	return usage.ru_minflt;
}

static void count_everywhere(struct own_counters *counters)
{
	own_counters_add(counters, &counters->waits[0].count, 1);
	own_counters_wait(counters, OWN_WAIT_INTERRUPTED, 1);
	own_counters_raise(counters, &counters->longest_wait_ns, 1);
}

static void pages_body(void)
{
	int early = 0;

	count_everywhere(own_counters_shared());
	(void)page_faults();
	for (int i = 0; i < OWN_THREADS; i++) {
		struct own_counters *mine = own_counters_attach();
		long before = page_faults();

		expect(mine != NULL);
		count_everywhere(mine);
		early += page_faults() == before;
	}
	/* All, but for pages that the kernel takes meanwhile. */
	expect(early >= OWN_THREADS - 8);
}

static void attaching_makes_the_pages(void **state)
{
	(void)state;
	if (HAS_THREAD_SANITIZER)
		skip(); /* it has pages of its own made with each access */
	assert_int_equal(run_in_child(pages_body), 0);
}

#define CLAIM_THREADS 4

/* Under valgrind a few rounds take as long as many do without. */
static int claim_rounds(void)
{
	return getenv("UNIT_FEW_ROUNDS") != NULL ? 500 : 20000;
}

static struct own_counters *_Atomic holders[CLAIM_THREADS];

static void *claim(void *argument)
{
	size_t self = (size_t)(uintptr_t)argument;
	int rounds = claim_rounds();

	for (int i = 0; i < rounds; i++) {
		struct own_counters *mine = own_counters_attach();

		expect(mine != NULL);
		atomic_store(&holders[self], mine);
		for (size_t other = 0; other < CLAIM_THREADS; other++)
			expect(other == self || atomic_load(&holders[other]) != mine);
		own_counters_add(mine, &mine->wakes, 1);
		atomic_store(&holders[self], NULL);
		own_counters_detach(mine);
	}
	return NULL;
}

static void claim_body(void)
{
	pthread_t threads[CLAIM_THREADS];
	struct own_counters sum;

	for (size_t i = 0; i < CLAIM_THREADS; i++)
		expect(pthread_create(&threads[i], NULL, claim, (void *)i) == 0);
	for (size_t i = 0; i < CLAIM_THREADS; i++)
		pthread_join(threads[i], NULL);
	own_counters_sum(own_stats_segment(), &sum);
	expect(sum.wakes == (uint64_t)(CLAIM_THREADS * claim_rounds()));
	/* Free slots are used again: not a new one for each attachment. */
	expect(own_load_relaxed(&own_stats_segment()->threads_used) <= 4 * CLAIM_THREADS);
}

static void a_slot_has_one_owner_at_a_time(void **state)
{
	(void)state;
	assert_int_equal(run_in_child(claim_body), 0);
}

/* Stand for locks and calling sites; nothing is at these addresses. */
static uint64_t object[4000];

static void records_body(void)
{
	struct own_segment *segment = own_stats_segment();
	struct own_lock_record *first = own_record_find(object, object + 1, OWN_OBJECT_MUTEX);
	struct own_lock_record *other_site = own_record_find(object, object + 2, OWN_OBJECT_MUTEX);
	struct own_lock_record *other = own_record_find(object + 1, object + 1, OWN_OBJECT_COND);
	size_t found = 3;

	expect(first != NULL && other_site != NULL && other != NULL);
	expect(first != other && first != other_site && other != other_site);
	expect(own_record_find(object, object + 1, OWN_OBJECT_MUTEX) == first);
	expect(own_record_find(object + 1, object + 1, OWN_OBJECT_COND) == other);
	expect(own_load_relaxed(&other->kind) == OWN_OBJECT_COND);
	expect(own_load_relaxed(&own_record_find(object + 9, NULL, OWN_OBJECT_MUTEX)->site) ==
	       OWN_SITE_UNKNOWN);
	found++;
	errno = 4711;
	for (size_t i = 10; i < own_array_size(object); i++) {
		if (own_record_find(object + i, object, OWN_OBJECT_MUTEX) != NULL)
			found++;
	}
	expect(errno == 4711);
	/* The table is as good as full, no more than full, and what is missing was counted. */
	expect(found >= OWN_RECORDS * 9 / 10 && found <= OWN_RECORDS);
	expect(found == own_load_relaxed(&segment->records_used));
	expect(own_load_relaxed(&segment->records_overflow) ==
	       own_array_size(object) - 10 - (found - 4));
	expect(own_record_find(object, object + 1, OWN_OBJECT_MUTEX) == first);
}

static void records_are_found_again_and_overflow_is_counted(void **state)
{
	(void)state;
	assert_int_equal(run_in_child(records_body), 0);
}

static void *find_all(void *context)
{
	struct own_lock_record **records = context;

	for (size_t i = 0; i < 256; i++) {
		records[i] = own_record_find(object + i / 4, object + i % 4, OWN_OBJECT_MUTEX);
		own_fetch_add_relaxed(&records[i]->queued, 1);
	}
	return NULL;
}

static void racing_body(void)
{
	static struct own_lock_record *records[CLAIM_THREADS][256];
	pthread_t threads[CLAIM_THREADS];

	for (size_t i = 0; i < CLAIM_THREADS; i++)
		expect(pthread_create(&threads[i], NULL, find_all, records[i]) == 0);
	for (size_t i = 0; i < CLAIM_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < 256; i++) {
		for (size_t thread = 1; thread < CLAIM_THREADS; thread++)
			expect(records[thread][i] == records[0][i]);
		expect(own_load_relaxed(&records[0][i]->queued) == CLAIM_THREADS);
	}
	expect(own_load_relaxed(&own_stats_segment()->records_used) == 256);
}

static void racing_threads_agree_on_a_record(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++)
		assert_int_equal(run_in_child(racing_body), 0);
}

static void names_body(void)
{
	char longest[OWN_NAMES_BYTES + 8];

	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	expect(own_record_name(own_stats_segment(), (uintptr_t)object) == NULL);
	expect(own_record_set_name(object, "queue"));
	expect(strcmp(own_record_name(own_stats_segment(), (uintptr_t)object), "queue") == 0);
	expect(own_record_set_name(object, "pool"));
	expect(strcmp(own_record_name(own_stats_segment(), (uintptr_t)object), "pool") == 0);
	for (int i = 0; i < OWN_NAMES_BYTES; i++)
		expect(own_record_set_name(object, "pool"));
	expect(!own_record_set_name(object, longest));
	expect(strcmp(own_record_name(own_stats_segment(), (uintptr_t)object), "pool") == 0);
	expect(own_record_set_name(object + 1, ""));
	for (int i = 0; i < OWN_NAMES_BYTES; i++) {
		char text[24];

		snprintf(text, sizeof(text), "name %d", i);
		if (!own_record_set_name(object + 2, text))
			break;
		expect(i < OWN_NAMES_BYTES / 7);
	}
	expect(own_load_relaxed(&own_stats_segment()->names_used) < OWN_NAMES_BYTES);
	expect(own_record_name(own_stats_segment(), (uintptr_t)(object + 2)) != NULL);
}

static void names_are_kept_until_no_room_is_left(void **state)
{
	(void)state;
	assert_int_equal(run_in_child(names_body), 0);
}

static void a_name_out_of_bounds_is_no_name(void **state)
{
	struct own_segment *segment = mmap(NULL, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct own_lock_record *record;

	(void)state;
	assert_true(segment != MAP_FAILED);
	record = own_record_find_in(segment, 64, OWN_SITE_NAME, OWN_OBJECT_MUTEX);
	own_store_relaxed(&segment->names_used, 1);
	assert_null(own_record_name(segment, 64));
	own_store_relaxed(&record->name, OWN_NAMES_BYTES + 5);
	assert_null(own_record_name(segment, 64));
	memset(segment->names, 'x', OWN_NAMES_BYTES);
	own_store_relaxed(&record->name, OWN_NAMES_BYTES - 5);
	assert_null(own_record_name(segment, 64));
	munmap(segment, OWN_SEGMENT_STRIDE);
}

static void fork_body(void)
{
	struct own_segment *segment = own_stats_segment();
	struct own_counters *mine = own_counters_attach();
	int status;
	pid_t child;

	own_stats_start();
	own_counters_wait(mine, OWN_WAIT_TIMEOUT, 5);
	expect(own_record_find(object + 1, object, OWN_OBJECT_MUTEX) != NULL);
	expect(own_record_set_name(object, "kept"));
	expect(own_module_find(segment, (uint64_t)(uintptr_t)fork_body) != NULL);
	child = fork();
	if (child == 0) {
		struct own_counters sum;

		errno = 4711;
		own_stats_after_fork();
		expect(errno == 4711);
		expect(own_stats_segment() == segment);
		expect(own_load_relaxed(&segment->pid) == getpid());
		expect(own_load_relaxed(&segment->ppid) == getppid());
		expect(own_load_relaxed(&segment->image) == OWN_IMAGE_FORK);
		own_counters_sum(segment, &sum);
		expect(sum.waits[OWN_WAIT_TIMEOUT].count == 0);
		expect(own_load_relaxed(&segment->threads_used) == 0);
		expect(strcmp(own_record_name(segment, (uintptr_t)object), "kept") == 0);
		expect(own_module_find(segment, (uint64_t)(uintptr_t)fork_body) != NULL);
		expect(own_counters_attach() != NULL);
		_exit(0);
	}
	expect(waitpid(child, &status, 0) == child && status == 0);
	expect(own_load_relaxed(&mine->waits[OWN_WAIT_TIMEOUT].count) == 1);
}

static void a_fork_child_starts_at_zero_and_keeps_names(void **state)
{
	(void)state;
	assert_int_equal(run_in_child(fork_body), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(histogram_buckets_are_powers_of_two),
	    cmocka_unit_test(a_wait_is_counted_once_everywhere),
	    cmocka_unit_test(slots_run_out_and_come_back),
	    cmocka_unit_test(attaching_makes_the_pages),
	    cmocka_unit_test(a_slot_has_one_owner_at_a_time),
	    cmocka_unit_test(records_are_found_again_and_overflow_is_counted),
	    cmocka_unit_test(racing_threads_agree_on_a_record),
	    cmocka_unit_test(names_are_kept_until_no_room_is_left),
	    cmocka_unit_test(a_name_out_of_bounds_is_no_name),
	    cmocka_unit_test(a_fork_child_starts_at_zero_and_keeps_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
