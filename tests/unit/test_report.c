/* Reports: the text's form, JSON that a parser takes, figures, and what comes from outside. */
#include "config/options.h"
#include "stats/counters.h"
#include "stats/format.h"
#include "stats/records.h"
#include "stats/report.h"
#include "stats/shorten.h"
#include "stats/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char text[1 << 20];

static struct own_segment *new_segment(int pid)
{
	struct own_segment *segment = mmap(NULL, OWN_SEGMENT_STRIDE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(segment != MAP_FAILED);
	own_store_relaxed(&segment->pid, pid);
	own_store_relaxed(&segment->state, OWN_SEGMENT_EXITED);
	own_store_relaxed(&segment->start_ns, 1000000000);
	own_store_relaxed(&segment->end_ns, 2500000000);
	strcpy(segment->command, "program --flag");
	return segment;
}

static void add_lock(struct own_segment *segment, uint64_t object, uint64_t site, uint64_t queued,
		     uint64_t time_ns)
{
	struct own_lock_record *record =
	    own_record_find_in(segment, object, site, OWN_OBJECT_MUTEX);

	own_store_relaxed(&record->queued, queued);
	own_store_relaxed(&record->time_ns, time_ns);
	own_store_relaxed(&record->longest_ns, time_ns / 2);
	own_store_relaxed(&record->outcomes[OWN_WAIT_WOKEN], queued);
}

static struct own_segment *sample(int pid)
{
	struct own_segment *segment = new_segment(pid);
	struct own_outcome *waits = segment->shared.waits;

	own_store_relaxed(&waits[OWN_WAIT_WOKEN].count, 900);
	own_store_relaxed(&waits[OWN_WAIT_WOKEN].time_ns, 9000000);
	own_store_relaxed(&waits[OWN_WAIT_WOKEN].histogram[13], 900);
	own_store_relaxed(&waits[OWN_WAIT_MISMATCH].count, 100);
	own_store_relaxed(&waits[OWN_WAIT_MISMATCH].time_ns, 1000000);
	own_store_relaxed(&waits[OWN_WAIT_MISMATCH].histogram[11], 100);
	own_store_relaxed(&segment->shared.longest_wait_ns, 123456);
	own_store_relaxed(&segment->shared.bucket_known, 800);
	own_store_relaxed(&segment->shared.bucket_shared, 3);
	segment->modules[0].start = 0x1000;
	segment->modules[0].end = 0x9000;
	segment->modules[0].bias = 0x1000;
	strcpy(segment->modules[0].path, "/usr/bin/program");
	own_store_relaxed(&segment->module_count, 1);
	add_lock(segment, 0x7000, 0x1234, 10, 4000000);
	add_lock(segment, 0x7000, 0x2234, 5, 3000000);
	add_lock(segment, 0x7100, 0x5678, 50, 2000000);
	add_lock(segment, 0x7200, 0x99999, 1, 1000000);
	return segment;
}

static void drop(struct own_segment *segment)
{
	munmap(segment, OWN_SEGMENT_STRIDE);
}

static int open_sink(void)
{
	int fd = memfd_create("report", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void read_sink(int fd)
{
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(length >= 0 && (size_t)length < sizeof(text) - 1);
	text[length] = '\0';
}

static void write_all(const struct own_segment *const *segments, size_t count,
		      const struct own_report_options *options)
{
	int fd = open_sink();

	errno = 4711;
	assert_int_equal(own_report_write_all(fd, segments, count, options), 0);
	assert_int_equal(errno, 4711);
	read_sink(fd);
	close(fd);
}

static void write_one(const struct own_segment *segment, enum own_report_format format)
{
	const struct own_report_options options = {.format = format, .top = 2};

	write_all(&segment, 1, &options);
}

static void assert_columns(void)
{
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
}

static void the_verdict_is_in_the_first_three_lines(void **state)
{
	struct own_segment *segment = sample(42);
	static const char verdict[] =
	    "ownline: 1 000 waits in the kernel took 10.0 ms.\n"
	    "Mismatched: 100 (10.0 %), which cost 1.00 ms (10.0 % of the time).\n"
	    "Most contended: mutex 0x7000, 70.0 % of the queueing.\n"
	    "\n";

	(void)state;
	write_one(segment, OWN_REPORT_TEXT);
	assert_memory_equal(text, verdict, sizeof(verdict) - 1);
	drop(segment);
}

static void the_text_holds_tables_and_the_top_locks(void **state)
{
	static const char *const parts[] = {
	    "pid 42       program --flag\n  exited after 1.50 s\n",
	    "  futex hash: none, single-threaded\n",
	    "  woken                     900    90.0 %    9.00 ms    10.0 us\n",
	    "  mismatch                  100    10.0 %    1.00 ms    10.0 us\n",
	    "  timeout                     0     0.0 %          -          -\n",
	    "  [2K, 4K)                0         100           0           0 @\n",
	    "  [8K, 16K)             900           0           0           0 @@@@@@@@@@@@@@@@\n",
	    "longest wait                   123 us\n",
	    "  futex bucket known              800    another waiter in it                3\n",
	    "most contended: 2 of 3 locks\n",
	    "  1. mutex 0x7000\n     15 queued for 7.00 ms (70.0 %), longest 2.00 ms, 0 spun\n",
	    "      57.1 % from program+0x234\n      42.8 % from program+0x1234\n",
	    "  2. mutex 0x7100\n",
	};
	struct own_segment *segment = sample(42);
	const char *at = text;

	(void)state;
	write_one(segment, OWN_REPORT_TEXT);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *found = strstr(at, parts[i]);

		if (found == NULL)
			print_error("missing, or out of order: %s\nin: %s\n", parts[i], text);
		assert_non_null(found);
		at = found;
	}
	assert_null(strstr(text, "0x7200"));
	assert_columns();
	drop(segment);
}

static void sites_are_shortened_to_what_finds_them(void **state)
{
	static const char *const names[][2] = {
	    {"work+0x28 (hot.c:6)", "work+0x28 (hot.c:6)"},
	    {"std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#2}> > "
	     ">::_M_run()+0x1f (a.cc:22)",
	     "std::thread::_State_impl<...>::_M_run()+0x1f (a.cc:22)"},
	    {"(anonymous namespace)::f(std::vector<int, std::allocator<int> > const&, int)+0x1",
	     "(anonymous namespace)::f(...)+0x1"},
	    {"std::operator<< <char>(std::basic_ostream<char>&, "
	     "int)::{lambda()#1}::operator()()+0x2",
	     "std::operator<< <...>(...)::{lambda()#1}::operator()()+0x2"},
	    {"a_c_symbol_that_is_longer_than_a_line_and_has_no_brackets+0x123 (file.c:1234)",
	     "...ger_than_a_line_and_has_no_brackets+0x123 (file.c:1234)"},
	    {"f<std::pair<int, int>, decltype(a->b), what follows was cut off, as it was too "
	     "lo+0x3",
	     "f<...>+0x3"},
	    {"program_without_an_offset_whose_name_is_longer_than_any_line_in_a_report",
	     "program_without_an_offset_whose_name_is_longer_than_any_line_in_a_report"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[256];

		strcpy(name, names[i][0]);
		own_shorten_site(name, 58);
		assert_string_equal(name, names[i][1]);
	}
}

static bool says(const char *words)
{
	bool found = strstr(text, words) != NULL;

	if (!found)
		print_error("missing: %s\nin: %s\n", words, text);
	return found;
}

/* An idle thread's wait for work is longer than any for a mutex, and no fault. */
static void a_condition_variable_is_not_the_most_contended(void **state)
{
	struct own_segment *segment = sample(42);
	struct own_lock_record *record =
	    own_record_find_in(segment, 0x6000, 0x1234, OWN_OBJECT_COND);

	(void)state;
	own_store_relaxed(&record->queued, 1);
	own_store_relaxed(&record->time_ns, 60000000000);
	write_one(segment, OWN_REPORT_TEXT);
	assert_true(says("Most contended: mutex 0x7000, 70.0 % of the queueing.\n"));
	drop(segment);
	segment = new_segment(1);
	record = own_record_find_in(segment, 0x6000, 0x1234, OWN_OBJECT_COND);
	own_store_relaxed(&record->queued, 1);
	own_store_relaxed(&segment->shared.waits[OWN_WAIT_WOKEN].count, 1);
	write_one(segment, OWN_REPORT_TEXT);
	assert_true(says("No mutex was waited for.\n"));
	drop(segment);
}

static void one_of_them_is_in_the_singular(void **state)
{
	struct own_segment *segment = new_segment(1);

	(void)state;
	own_store_relaxed(&segment->shared.contended, 1);
	write_one(segment, OWN_REPORT_TEXT);
	assert_true(says(" 1 contended lock call ended by spinning.\n"));
	own_store_relaxed(&segment->shared.waits[OWN_WAIT_WOKEN].count, 1);
	own_store_relaxed(&segment->records_overflow, 1);
	own_store_relaxed(&segment->threads_overflow, 1);
	write_one(segment, OWN_REPORT_TEXT);
	assert_true(says("ownline: 1 wait in the kernel took "));
	assert_true(says("Not in the list of locks: 1 wait, "));
	assert_true(says("1 thread shared one set of counters"));
	drop(segment);
}

static void nothing_contended_is_said(void **state)
{
	struct own_segment *segment = new_segment(1);

	(void)state;
	write_one(segment, OWN_REPORT_TEXT);
	assert_ptr_equal(strstr(text, "ownline: no wait in the kernel"), text);
	assert_non_null(strstr(text, "No lock was waited for.\n"));
	write_one(segment, OWN_REPORT_NONE);
	assert_string_equal(text, "");
	drop(segment);
}

static void overflows_are_said(void **state)
{
	struct own_segment *segment = sample(42);
	const struct own_segment *one = segment;
	const struct own_report_options options = {
	    .format = OWN_REPORT_TEXT, .top = 2, .refused = 3, .returned = 5};

	(void)state;
	own_store_relaxed(&segment->records_overflow, 7);
	own_store_relaxed(&segment->threads_overflow, 8);
	write_all(&one, 1, &options);
	assert_non_null(strstr(text, "Not in the list of locks: 7 waits"));
	assert_non_null(strstr(text, "\n8 threads shared one set of counters"));
	assert_non_null(strstr(text, "\n3 more processes are not counted"));
	assert_non_null(strstr(text, "\n5 more met no contention"));
	assert_columns();
	drop(segment);
}

static void text_stays_in_80_columns_with_huge_figures_and_names(void **state)
{
	struct own_segment *segment = sample(INT32_MAX);
	const struct own_segment *both[2] = {segment, segment};
	const struct own_report_options options = {.format = OWN_REPORT_TEXT, .top = 10};
	_Atomic uint64_t *words = &segment->shared.waits[0].count;

	(void)state;
	for (size_t i = 0; i < sizeof(segment->shared) / sizeof(*words); i++)
		own_store_relaxed(&words[i], UINT64_C(1) << 30);
	memset(segment->command, 'c', sizeof(segment->command) - 1);
	memset(segment->modules[0].path, 'p', OWN_MODULE_PATH - 1);
	add_lock(segment, UINT64_MAX - 7, 0x1236, 88888888, UINT64_C(1) << 60);
	write_all(both, 2, &options);
	assert_columns();
	drop(segment);
}

static void text_from_outside_cannot_reach_the_terminal(void **state)
{
	struct own_segment *segment = sample(42);

	(void)state;
	strcpy(segment->command, "a\033[31mb\nc\x7f\xc2\x9b\xff\xc3\xa9");
	strcpy(segment->modules[0].path, "/x/evil\033]0;\x07");
	write_one(segment, OWN_REPORT_TEXT);
	for (const char *at = text; *at != '\0'; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	assert_non_null(strstr(text, "a?[31mb?c???\xc3\xa9\n"));
	assert_non_null(strstr(text, "from evil?]0;?+0x234"));
	drop(segment);
}

/* Runs `script` in Python with the document as `d`; fails the test if it does. */
static void check_json(const char *script)
{
	char program[4096];
	FILE *python;

	if (system("command -v python3 >/dev/null 2>&1") != 0) {
		print_message("python3 is missing: install it\n");
		skip();
	}
	snprintf(program, sizeof(program),
		 "python3 -c 'import json, sys\nd = json.load(sys.stdin)\n%s'", script);
	python = popen(program, "w");
	assert_non_null(python);
	fputs(text, python);
	assert_int_equal(pclose(python), 0);
}

static void json_holds_everything(void **state)
{
	struct own_segment *segment = sample(42);

	(void)state;
	own_record_find_in(segment, 0x7100, OWN_SITE_NAME, OWN_OBJECT_MUTEX);
	write_one(segment, OWN_REPORT_JSON);
	check_json("assert d[\"schema\"] == 1\n"
		   "p, = d[\"processes\"]\n"
		   "assert p[\"pid\"] == 42 and p[\"state\"] == \"exited\"\n"
		   "assert p[\"command\"] == \"program --flag\"\n"
		   "assert p[\"duration_ns\"] == 1500000000\n"
		   "for w in p[\"waits\"], d[\"totals\"][\"waits\"]:\n"
		   "  assert w[\"count\"] == 1000 and w[\"time_ns\"] == 10000000\n"
		   "  assert w[\"mismatch\"][\"count\"] == 100\n"
		   "  assert w[\"mismatch\"][\"mean_ns\"] == 10000\n"
		   "  assert w[\"mismatch\"][\"histogram\"][11] == 100\n"
		   "  assert len(w[\"woken\"][\"histogram\"]) == 40\n"
		   "  assert sum(w[\"woken\"][\"histogram\"]) == 900\n"
		   "a, b, c = p[\"locks\"]\n"
		   "assert a[\"address\"] == \"0x7000\" and a[\"queued\"] == 15\n"
		   "assert a[\"time_ns\"] == 7000000 and a[\"name\"] is None\n"
		   "assert [s[\"symbol\"] for s in a[\"sites\"]] == "
		   "[\"program+0x234\", \"program+0x1234\"]\n"
		   "assert c[\"sites\"][0][\"symbol\"] == \"0x99999\"\n"
		   "assert p[\"mutexes\"][\"longest_wait_ns\"] == 123456\n"
		   "for b in p[\"buckets\"], d[\"totals\"][\"buckets\"]:\n"
		   "  assert b == {\"known\": 800, \"shared\": 3}\n"
		   "assert p[\"futex_hash\"] == \"none\" and p[\"futex_slots\"] == 0\n");
	drop(segment);
}

static void each_kind_of_futex_hash_is_named(void **state)
{
	static const struct {
		uint32_t value;
		const char *text;
		const char *json;
	} rows[] = {
	    {OWN_HASH_NONE, "futex hash: none, single-threaded\n",
	     "\"futex_hash\": \"none\", \"futex_slots\": 0,"},
	    {OWN_HASH_GLOBAL, "futex hash: the global one\n",
	     "\"futex_hash\": \"global\", \"futex_slots\": 0,"},
	    {2, "futex hash: 2 slots\n", "\"futex_hash\": \"private\", \"futex_slots\": 2,"},
	    {1 << 24, "futex hash: 16777216 slots\n",
	     "\"futex_hash\": \"private\", \"futex_slots\": 16777216,"},
	    {OWN_HASH_MISSING, "futex hash: the global one, this kernel has no other\n",
	     "\"futex_hash\": \"missing\", \"futex_slots\": 0,"},
	    {OWN_HASH_UNKNOWN, "futex hash: unknown, asking is not permitted\n",
	     "\"futex_hash\": \"unknown\", \"futex_slots\": 0,"},
	};
	struct own_segment *segment = sample(42);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		own_store_relaxed(&segment->futex_slots, rows[i].value);
		write_one(segment, OWN_REPORT_TEXT);
		assert_non_null(strstr(text, rows[i].text));
		assert_columns();
		write_one(segment, OWN_REPORT_JSON);
		assert_non_null(strstr(text, rows[i].json));
	}
	drop(segment);
}

static void json_escapes_every_text(void **state)
{
	struct own_segment *segment = sample(42);
	struct own_lock_record *record =
	    own_record_find_in(segment, 0x7000, OWN_SITE_NAME, OWN_OBJECT_MUTEX);

	(void)state;
	strcpy(segment->command, "q\"b\\n\nt\t\x01\x7f\xff\xc0\x80\xed\xa0\x80 \xe2\x82\xac");
	strcpy(segment->modules[0].path, "/a/\"}]\\");
	strcpy(segment->names + 1, "\xf0\x9f\x94\x92\xf0\x9f\"");
	own_store_relaxed(&segment->names_used, 20);
	own_store_relaxed(&record->name, 1);
	write_one(segment, OWN_REPORT_JSON);
	check_json("p, = d[\"processes\"]\n"
		   "assert p[\"command\"] == \"q\\\"b\\\\n\\nt\\t\\x01\\x7f\" + "
		   "\"\\ufffd\" * 6 + \" \\u20ac\", ascii(p[\"command\"])\n"
		   "assert p[\"locks\"][0][\"name\"] == \"\\U0001f512\\ufffd\\ufffd\\\"\"\n"
		   "assert p[\"locks\"][0][\"sites\"][0][\"symbol\"] == \"\\\"}]\\\\+0x234\"\n");
	drop(segment);
}

static const char *fate_of(void *context, const struct own_segment *segment)
{
	return own_load_relaxed(&segment->pid) == 2 ? context : NULL;
}

static void several_processes_make_one_document(void **state)
{
	struct own_segment *first = sample(1);
	struct own_segment *second = sample(2);
	const struct own_segment *both[2] = {first, second};
	struct own_report_options options = {.format = OWN_REPORT_JSON,
					     .top = 1,
					     .fate = fate_of,
					     .context = (void *)(uintptr_t) "killed by \"9\""};

	(void)state;
	own_store_relaxed(&second->shared.longest_wait_ns, 99);
	write_all(both, 2, &options);
	check_json("assert [p[\"pid\"] for p in d[\"processes\"]] == [1, 2]\n"
		   "assert d[\"totals\"][\"waits\"][\"count\"] == 2000\n"
		   "assert d[\"totals\"][\"mutexes\"][\"longest_wait_ns\"] == 123456\n"
		   "assert d[\"processes\"][0][\"state\"] == \"exited\"\n"
		   "assert d[\"processes\"][1][\"state\"] == \"killed by \\\"9\\\"\"\n"
		   "assert all(len(p[\"locks\"]) == 3 for p in d[\"processes\"])\n");
	options.format = OWN_REPORT_TEXT;
	write_all(both, 2, &options);
	assert_ptr_equal(strstr(text, "ownline: 2 000 waits"), text);
	assert_non_null(strstr(text, "mutex 0x7000 in pid 1\n"));
	assert_non_null(
	    strstr(text, "killed by \"9\" after 1.50 s, 1 000 waits, 100 mismatched\n"));
	write_all(both, 0, &options);
	options.format = OWN_REPORT_JSON;
	write_all(both, 0, &options);
	check_json("assert d[\"processes\"] == []\n");
	drop(first);
	drop(second);
}

static void a_failed_write_is_reported(void **state)
{
	struct own_segment *segment = sample(42);
	const struct own_report_options options = {.format = OWN_REPORT_JSON, .top = 1};
	int full = open("/dev/full", O_WRONLY);

	(void)state;
	assert_int_equal(own_report_write(-1, segment, &options), EBADF);
	assert_true(full >= 0);
	assert_int_equal(own_report_write(full, segment, &options), ENOSPC);
	close(full);
	drop(segment);
}

static void broken_memory_does_not_break_a_report(void **state)
{
	struct own_segment *segment = new_segment(42);

	(void)state;
	/* What a program that writes out of bounds may leave behind. */
	memset(segment, 0xff, OWN_SEGMENT_STRIDE); /* no text in it has an end */
	write_one(segment, OWN_REPORT_JSON);
	check_json("assert len(d[\"processes\"]) == 1\n");
	write_one(segment, OWN_REPORT_TEXT);
	drop(segment);
}

static void figures_are_short_and_never_lie(void **state)
{
	(void)state;
	assert_string_equal(own_figure_time(0).text, "0 ns");
	assert_string_equal(own_figure_time(999).text, "999 ns");
	assert_string_equal(own_figure_time(1000).text, "1.00 us");
	assert_string_equal(own_figure_time(45678).text, "45.6 us");
	assert_string_equal(own_figure_time(999999999).text, "999 ms");
	assert_string_equal(own_figure_time(7200000000000).text, "7200 s");
	assert_string_equal(own_figure_share(0, 0).text, "-");
	assert_string_equal(own_figure_share(0, 5).text, "0.0 %");
	assert_string_equal(own_figure_share(1, 1000000).text, "<0.01 %");
	assert_string_equal(own_figure_share(5, 10000).text, "0.05 %");
	assert_string_equal(own_figure_share(999999, 1000000).text, "99.99 %");
	assert_string_equal(own_figure_share(7, 7).text, "100.0 %");
	assert_string_equal(own_figure_share(UINT64_MAX / 2, UINT64_MAX).text, "49.9 %");
	assert_string_equal(own_figure_count(0).text, "0");
	assert_string_equal(own_figure_count(999).text, "999");
	assert_string_equal(own_figure_count(1234567).text, "1 234 567");
	assert_string_equal(own_figure_count(UINT64_MAX).text, "18446744073709551615");
	assert_string_equal(own_figure_power(512).text, "512");
	assert_string_equal(own_figure_power(1 << 20).text, "1M");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_verdict_is_in_the_first_three_lines),
	    cmocka_unit_test(the_text_holds_tables_and_the_top_locks),
	    cmocka_unit_test(sites_are_shortened_to_what_finds_them),
	    cmocka_unit_test(a_condition_variable_is_not_the_most_contended),
	    cmocka_unit_test(one_of_them_is_in_the_singular),
	    cmocka_unit_test(nothing_contended_is_said),
	    cmocka_unit_test(overflows_are_said),
	    cmocka_unit_test(text_stays_in_80_columns_with_huge_figures_and_names),
	    cmocka_unit_test(text_from_outside_cannot_reach_the_terminal),
	    cmocka_unit_test(json_holds_everything),
	    cmocka_unit_test(each_kind_of_futex_hash_is_named),
	    cmocka_unit_test(json_escapes_every_text),
	    cmocka_unit_test(several_processes_make_one_document),
	    cmocka_unit_test(a_failed_write_is_reported),
	    cmocka_unit_test(broken_memory_does_not_break_a_report),
	    cmocka_unit_test(figures_are_short_and_never_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
