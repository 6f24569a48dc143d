/* A process's way into a launcher's region: which it joins, and who gets which segment. */
#include "stats/counters.h"
#include "stats/records.h"
#include "stats/region_join.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SEGMENTS 130 /* two full words of the bit map and a bit */

#define expect(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_error("line %d: %s\n", __LINE__, #condition);                        \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static int region_fd;
static char *whole; /* the launcher's view */
static struct own_region *header;

static struct own_segment *segment_of(uint32_t index)
{
	return (struct own_segment *)(void *)(whole + OWN_SEGMENT_OFFSET(index));
}

static void name_region(int fd, dev_t device, ino_t inode)
{
	char text[96];

	snprintf(text, sizeof(text), "%d:%llu:%llu:%d", fd, (unsigned long long)device,
		 (unsigned long long)inode, (int)getpid());
	setenv(OWN_REGION_ENVIRONMENT, text, 1);
}

static int make_region(void **state)
{
	struct stat file;

	(void)state;
	region_fd = memfd_create("region", MFD_CLOEXEC);
	assert_true(region_fd >= 0);
	assert_int_equal(ftruncate(region_fd, (off_t)OWN_REGION_BYTES(SEGMENTS)), 0);
	whole = mmap(NULL, OWN_REGION_BYTES(SEGMENTS), PROT_READ | PROT_WRITE, MAP_SHARED,
		     region_fd, 0);
	assert_true(whole != MAP_FAILED);
	header = (struct own_region *)(void *)whole;
	header->magic = OWN_REGION_MAGIC;
	header->version = OWN_REGION_VERSION;
	header->segment_count = SEGMENTS;
	header->segment_offset = OWN_PAGE_MAX;
	header->segment_stride = OWN_SEGMENT_STRIDE;
	header->launcher_pid = (int32_t)getpid();
	assert_int_equal(fstat(region_fd, &file), 0);
	name_region(region_fd, file.st_dev, file.st_ino);
	return 0;
}

static int drop_region(void **state)
{
	(void)state;
	munmap(whole, OWN_REGION_BYTES(SEGMENTS));
	close(region_fd);
	unsetenv(OWN_REGION_ENVIRONMENT);
	return 0;
}

/* A process that starts afresh, as the runtime does there. */
static void run_process(void (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		errno = 4711;
		own_stats_start();
		expect(errno == 4711);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void count_one(void)
{
	struct own_counters *mine = own_counters_attach();

	expect(mine != NULL);
	own_counters_wait(mine, OWN_WAIT_MISMATCH, 100);
}

static uint64_t mismatches(uint32_t index)
{
	struct own_counters sum;

	own_counters_sum(segment_of(index), &sum);
	return own_load_relaxed(&sum.waits[OWN_WAIT_MISMATCH].count);
}

static void what_a_process_counts_is_seen_from_outside(void **state)
{
	(void)state;
	run_process(count_one);
	assert_int_equal(own_load_relaxed(&header->segments_used), 1);
	assert_int_equal(mismatches(0), 1);
	assert_int_equal(own_load_relaxed(&segment_of(0)->state), OWN_SEGMENT_RUNNING);
	assert_int_equal(own_load_relaxed(&segment_of(0)->image), OWN_IMAGE_FIRST);
	assert_int_equal(own_load_relaxed(&segment_of(0)->ppid), getpid());
	assert_true(own_load_relaxed(&segment_of(0)->module_count) > 1);
	assert_string_equal(segment_of(0)->command, program_invocation_name);
	run_process(count_one);
	assert_int_equal(own_load_relaxed(&header->segments_used), 2);
	assert_int_equal(mismatches(1), 1);
}

static void counts_from_before_the_start_are_kept(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		struct own_counters *early = own_counters_attach();

		own_counters_wait(early, OWN_WAIT_MISMATCH, 100);
		expect(own_record_set_name(&status, "early"));
		own_stats_start();
		own_counters_wait(early, OWN_WAIT_MISMATCH, 100);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(mismatches(0), 2);
	assert_string_equal(own_record_name(segment_of(0), (uint64_t)(uintptr_t)&status), "early");
}

static void fork_and_count(void)
{
	int status;
	pid_t child;

	count_one();
	close(region_fd);
	unsetenv(OWN_REGION_ENVIRONMENT);
	child = fork();
	if (child == 0) {
		own_stats_after_fork();
		count_one();
		count_one();
		own_stats_stop();
		_exit(0);
	}
	expect(waitpid(child, &status, 0) == child && status == 0);
	count_one();
}

static void a_fork_child_needs_no_descriptor(void **state)
{
	(void)state;
	run_process(fork_and_count);
	assert_int_equal(own_load_relaxed(&header->segments_used), 2);
	assert_int_equal(mismatches(0), 2);
	assert_int_equal(mismatches(1), 2);
	assert_int_equal(own_load_relaxed(&segment_of(1)->image), OWN_IMAGE_FORK);
	assert_int_equal(own_load_relaxed(&segment_of(1)->ppid),
			 own_load_relaxed(&segment_of(0)->pid));
	assert_int_equal(own_load_relaxed(&segment_of(1)->state), OWN_SEGMENT_EXITED);
}

static void fork_two_quiet_ones(void)
{
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			own_stats_after_fork();
			expect(own_counters_attach() != NULL);
			expect(own_record_set_name(&status, "named, but never contended"));
			own_stats_stop();
			/* Private by now: nobody sees this. */
			count_one();
			_exit(0);
		}
		expect(waitpid(child, &status, 0) == child && status == 0);
	}
}

static void a_segment_with_nothing_in_it_is_given_back_clean(void **state)
{
	static const struct own_segment zero;

	(void)state;
	run_process(fork_two_quiet_ones);
	assert_int_equal(own_load_relaxed(&header->segments_used), 2);
	assert_int_equal(own_load_relaxed(&header->segments_returned), 2);
	assert_int_equal(own_load_relaxed(&header->taken[0]), 1);
	assert_memory_equal(segment_of(1), &zero, sizeof(zero));
}

static void only_a_good_region_is_joined(void **state)
{
	struct stat file;
	int other = memfd_create("other", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(fstat(region_fd, &file), 0);
	/* Another file under the number, and none to be opened. */
	name_region(other, file.st_dev, file.st_ino);
	run_process(count_one);
	name_region(region_fd, file.st_dev, file.st_ino + 1);
	run_process(count_one);
	setenv(OWN_REGION_ENVIRONMENT, "", 1);
	run_process(count_one);
	setenv(OWN_REGION_ENVIRONMENT, "nonsense", 1);
	run_process(count_one);
	setenv(OWN_REGION_ENVIRONMENT, "1:2:3:4:5", 1);
	run_process(count_one);
	/* A file that is none: empty. */
	assert_int_equal(fstat(other, &file), 0);
	name_region(other, file.st_dev, file.st_ino);
	run_process(count_one);
	assert_int_equal(fstat(region_fd, &file), 0);
	name_region(region_fd, file.st_dev, file.st_ino);
	assert_int_equal(own_load_relaxed(own_region_stranger(header)), 0);
	header->version++;
	run_process(count_one);
	header->version--;
	assert_int_equal(own_load_relaxed(own_region_stranger(header)), OWN_REGION_VERSION);
	header->segment_stride += OWN_PAGE_MAX;
	run_process(count_one);
	header->segment_stride -= OWN_PAGE_MAX;
	header->segment_count = SEGMENTS + 1; /* more than the file holds */
	run_process(count_one);
	header->segment_count = UINT32_MAX;
	run_process(count_one);
	header->segment_count = SEGMENTS;
	assert_int_equal(own_load_relaxed(&header->segments_used), 0);
	run_process(count_one);
	assert_int_equal(own_load_relaxed(&header->segments_used), 1);
	close(other);
}

static void a_closed_descriptor_is_found_through_the_launcher(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		close(region_fd);
		own_stats_start();
		count_one();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(mismatches(0), 1);
}

static void a_full_region_refuses_and_counting_goes_on(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SEGMENTS; i++)
		assert_int_equal(own_region_take(header), i);
	assert_int_equal(own_region_take(header), OWN_NO_SEGMENT);
	assert_int_equal(own_load_relaxed(&header->segments_refused), 1);
	run_process(count_one);
	assert_int_equal(own_load_relaxed(&header->segments_refused), 2);
	assert_int_equal(own_load_relaxed(&header->segments_used), SEGMENTS);
	own_region_return(header, 129);
	own_region_return(header, 64);
	own_region_refuse(header, 63);
	assert_int_equal(own_load_relaxed(&header->segments_returned), 2);
	assert_int_equal(own_load_relaxed(&header->segments_refused), 3);
	assert_int_equal(own_region_take(header), 63);
	assert_int_equal(own_region_take(header), 64);
	assert_int_equal(own_region_take(header), 129);
	assert_int_equal(own_region_take(header), OWN_NO_SEGMENT);
}

static _Atomic uint32_t owners[SEGMENTS];

static void *take_and_return(void *unused)
{
	int rounds = getenv("UNIT_FEW_ROUNDS") != NULL ? 500 : 20000;

	for (int i = 0; i < rounds; i++) {
		uint32_t index = own_region_take(header);

		if (atomic_fetch_add(&owners[index], 1) != 0)
			return header; /* anything but NULL */
		atomic_fetch_sub(&owners[index], 1);
		own_region_return(header, index);
	}
	return unused;
}

static void a_segment_has_one_owner_at_a_time(void **state)
{
	pthread_t threads[4];
	void *failed;

	(void)state;
	for (size_t i = 0; i < own_array_size(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_return, NULL), 0);
	for (size_t i = 0; i < own_array_size(threads); i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(own_load_relaxed(&header->taken[0]), 0);
	assert_int_equal(own_load_relaxed(&header->segments_refused), 0);
}

static void foreign_is_who_has_another_pid_namespace(void **state)
{
	struct stat mine;

	(void)state;
	assert_int_equal(stat("/proc/self/ns/pid", &mine), 0);
	header->pid_namespace = mine.st_ino;
	assert_false(own_region_is_foreign(header));
	header->pid_namespace++;
	assert_true(own_region_is_foreign(header));
	run_process(count_one);
	assert_int_equal(own_load_relaxed(&segment_of(0)->foreign), 1);
}

#define region_test(function) cmocka_unit_test_setup_teardown(function, make_region, drop_region)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    region_test(what_a_process_counts_is_seen_from_outside),
	    region_test(counts_from_before_the_start_are_kept),
	    region_test(a_fork_child_needs_no_descriptor),
	    region_test(a_segment_with_nothing_in_it_is_given_back_clean),
	    region_test(only_a_good_region_is_joined),
	    region_test(a_closed_descriptor_is_found_through_the_launcher),
	    region_test(a_full_region_refuses_and_counting_goes_on),
	    region_test(a_segment_has_one_owner_at_a_time),
	    region_test(foreign_is_who_has_another_pid_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
