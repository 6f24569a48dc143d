/* Counters of the process and of one lock, names, reset, and the report on request. */
#include "support/threads.h"

#include <ownline/ownline.h>

static struct ownline_mutex mutex = OWNLINE_MUTEX_INIT;
static struct ownline_cond cond = OWNLINE_COND_INIT;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

static void *lock_native(void *unused)
{
	(void)unused;
	ownline_mutex_lock(&mutex);
	ownline_mutex_unlock(&mutex);
	return NULL;
}

static void *lock_plain(void *unused)
{
	(void)unused;
	CHECK_OK(pthread_mutex_lock(&plain));
	CHECK_OK(pthread_mutex_unlock(&plain));
	return NULL;
}

static void read_report(enum ownline_report_format format, char *text, size_t size)
{
	FILE *file = tmpfile();
	size_t length;

	CHECK(file != NULL);
	CHECK_OK(ownline_report_write(fileno(file), format));
	rewind(file);
	length = fread(text, 1, size - 1, file);
	CHECK(length > 0);
	text[length] = '\0';
	fclose(file);
}

static void wait_once(void)
{
	struct check_thread thread;

	ownline_mutex_lock(&mutex);
	check_start(&thread, lock_native, NULL);
	check_await_asleep(&thread);
	ownline_mutex_unlock(&mutex);
	check_join(&thread);
	CHECK_OK(pthread_mutex_lock(&plain));
	check_start(&thread, lock_plain, NULL);
	check_await_asleep(&thread);
	CHECK_OK(pthread_mutex_unlock(&plain));
	check_join(&thread);
}

static void test_counters(void)
{
	struct ownline_lock_stats lock;
	struct ownline_stats stats;

	/* Whoever gets the CPU too late finds that the time is up before there is a wait to count.
	 */
	ownline_mutex_lock(&mutex);
	do {
		struct timespec soon = check_after_ms(CLOCK_MONOTONIC, 20);
		int error = ownline_cond_wait_until(&cond, &mutex, CLOCK_MONOTONIC, &soon);

		CHECK(error == 0 || error == ETIMEDOUT);
		ownline_stats_read(&stats);
	} while (stats.timed_out == 0);
	ownline_mutex_unlock(&mutex);
	wait_once();

	ownline_stats_read(&stats);
	CHECK(stats.contended >= 2 && stats.queued >= 2 && stats.woken >= 2);
	CHECK(stats.timed_out >= 1 && stats.timed_out_ns > 0 && stats.cond_waits >= 1);
	CHECK_EQ(stats.waits, stats.woken + stats.mismatched + stats.timed_out + stats.interrupted);
	CHECK_EQ(stats.wait_ns,
		 stats.woken_ns + stats.mismatched_ns + stats.timed_out_ns + stats.interrupted_ns);
	ownline_mutex_stats(&mutex, &lock);
	CHECK(lock.queued == 1 && lock.woken >= 1 && lock.queued_ns >= lock.longest_ns);
	ownline_cond_stats(&cond, &lock);
	CHECK(lock.queued >= 1 && lock.timed_out >= 1);
	ownline_object_stats(&plain, &lock);
	CHECK_EQ(lock.queued, 1);
	ownline_object_stats(&stats, &lock);
	CHECK(lock.queued == 0 && lock.waits == 0 && lock.queued_ns == 0);
}

/* Whether buckets can be told depends on the kernel; the report and the structure say the same. */
static void test_buckets(void)
{
	static char text[1 << 16];
	struct ownline_stats stats;
	unsigned long long known, shared;
	const char *found;

	read_report(OWNLINE_REPORT_JSON, text, sizeof(text));
	found = strstr(text, "\"buckets\": {");
	CHECK(found != NULL);
	CHECK_EQ(sscanf(found, "\"buckets\": {\"known\": %llu, \"shared\": %llu}", &known, &shared),
		 2);
	ownline_stats_read(&stats);
	CHECK_EQ(stats.bucket_known, known);
	CHECK_EQ(stats.bucket_shared, shared);
	CHECK(known <= stats.waits && shared <= known);
}

static void test_names_and_reports(void)
{
	static char text[1 << 16];
	int fd[2];

	CHECK_OK(ownline_mutex_set_name(&mutex, "first name"));
	CHECK_OK(ownline_mutex_set_name(&mutex, "ledger"));
	CHECK_OK(ownline_cond_set_name(&cond, "ledger filled"));
	CHECK_OK(ownline_object_set_name(&plain, "plain \"one\""));
	read_report(OWNLINE_REPORT_TEXT, text, sizeof(text));
	CHECK(strstr(text, "\"ledger\"") && strstr(text, "\"ledger filled\""));
	CHECK(!strstr(text, "first name"));
	read_report(OWNLINE_REPORT_JSON, text, sizeof(text));
	CHECK(text[0] == '{' && strstr(text, "\"ledger\"") && strstr(text, "plain \\\"one\\\""));
	CHECK_OK(ownline_mutex_destroy(&mutex));
	CHECK_OK(ownline_object_set_name(&plain, ""));
	read_report(OWNLINE_REPORT_JSON, text, sizeof(text));
	CHECK(!strstr(text, "\"ledger\"") && !strstr(text, "plain"));

	CHECK_ERR(ownline_report_write(1, (enum ownline_report_format)0), EINVAL);
	CHECK_ERR(ownline_report_write(-1, OWNLINE_REPORT_TEXT), EBADF);
	CHECK_SYS(pipe(fd));
	CHECK_ERR(ownline_report_write(fd[0], OWNLINE_REPORT_TEXT), EBADF);
	signal(SIGPIPE, SIG_IGN);
	close(fd[0]);
	CHECK_ERR(ownline_report_write(fd[1], OWNLINE_REPORT_TEXT), EPIPE);
	close(fd[1]);
}

/* Names given again and again take no room; too many different ones are refused. */
static void test_names_are_bounded(void)
{
	struct ownline_mutex other = OWNLINE_MUTEX_INIT;
	char name[64];
	int named = 0;

	for (int i = 0; i < 100000; i++) {
		CHECK_OK(ownline_mutex_set_name(&other, i % 2 ? "odd" : "even"));
		CHECK_OK(ownline_mutex_destroy(&other));
	}
	for (int i = 0; i < 1000; i++) {
		int error;

		snprintf(name, sizeof(name), "a name of some length, number %d", i);
		error = ownline_mutex_set_name(&other, name);
		if (error == 0)
			named++;
		else
			CHECK_ERR(error, ENOSPC);
	}
	CHECK(named > 100 && named < 1000);
	CHECK_OK(ownline_mutex_set_name(&other, "odd"));
	CHECK_OK(ownline_mutex_destroy(&other));
}

static void test_reset(void)
{
	struct ownline_lock_stats lock;
	struct ownline_stats stats;

	ownline_stats_reset();
	ownline_stats_read(&stats);
	CHECK(stats.waits == 0 && stats.contended == 0 && stats.longest_wait_ns == 0);
	ownline_object_stats(&plain, &lock);
	CHECK_EQ(lock.queued, 0);
	wait_once();
	ownline_mutex_stats(&mutex, &lock);
	CHECK_EQ(lock.queued, 1);
}

int main(void)
{
	check_begin();
	test_counters();
	test_buckets();
	test_names_and_reports();
	test_names_are_bounded();
	test_reset();
	return 0;
}
