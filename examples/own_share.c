/*
 * A program that watches its own locks: while it works, it writes what share of its waits
 * mismatched, and how long it waited, to a file in the text format that monitoring systems read
 * (the node exporter's textfile collector, for one). SIGUSR1 makes it write the whole report.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <ownline/ownline.h>

#include "example.h"

#define USAGE	"FILE [MILLISECONDS [THREADS]]   500 ms, 8 threads"
#define MOST	64
#define TICK_MS 20

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static int stop;
static volatile sig_atomic_t report_wanted;

/* A report cannot be written from a signal handler; the next round does it. */
static void on_signal(int number)
{
	(void)number;
	report_wanted = 1;
}

static void *work(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&ledger);
		for (int i = 0; i < 200; i++)
			*(volatile long *)&balance += 1;
		pthread_mutex_unlock(&ledger);
	}
	return unused;
}

/* A reader never sees half a file: it is written beside and then renamed. */
static int export(const char *path)
{
	struct ownline_lock_stats lock;
	struct ownline_stats now;
	char beside[4096];
	FILE *file;

	if (snprintf(beside, sizeof(beside), "%s.new", path) >= (int)sizeof(beside))
		return ENAMETOOLONG;
	ownline_stats_read(&now);
	ownline_object_stats(&ledger, &lock);
	file = fopen(beside, "w");
	if (!file)
		return errno;
	fprintf(file, "# HELP lock_waits_total Waits for locks in the kernel, by their end.\n"
		      "# TYPE lock_waits_total counter\n");
	fprintf(file, "lock_waits_total{end=\"woken\"} %llu\n", (unsigned long long)now.woken);
	fprintf(file, "lock_waits_total{end=\"mismatch\"} %llu\n",
		(unsigned long long)now.mismatched);
	fprintf(file, "lock_waits_total{end=\"timeout\"} %llu\n",
		(unsigned long long)now.timed_out);
	fprintf(file, "lock_waits_total{end=\"interrupted\"} %llu\n",
		(unsigned long long)now.interrupted);
	fprintf(file, "# TYPE lock_mismatch_share gauge\nlock_mismatch_share %.6f\n",
		now.waits ? (double)now.mismatched / (double)now.waits : 0.0);
	fprintf(file,
		"# TYPE lock_queued_seconds_total counter\n"
		"lock_queued_seconds_total{lock=\"ledger\"} %.9f\n",
		(double)lock.queued_ns * 1e-9);
	if (fclose(file) != 0 || rename(beside, path) != 0)
		return errno;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	long milliseconds, count;
	int error;

	example_usage(argc, argv, 3, USAGE);
	if (argc < 2) {
		fprintf(stderr, "%s: name the file to write; try --help\n", argv[0]);
		return 2;
	}
	milliseconds = example_number(argc, argv, 2, "the time", 500, 1, 1000000000);
	count = example_number(argc, argv, 3, "the number of threads", 8, 1, MOST);
	error = export(argv[1]);
	if (error) {
		fprintf(stderr, "%s: %s: %s; name a file in a folder that can be written\n",
			argv[0], argv[1], strerror(error));
		return 2;
	}
	signal(SIGUSR1, on_signal);
	example_must(ownline_object_set_name(&ledger, "ledger"), "the name");
	for (long i = 0; i < count; i++)
		example_must(pthread_create(&threads[i], NULL, work, NULL), "a thread");
	for (long past = 0; past < milliseconds; past += TICK_MS) {
		usleep(TICK_MS * 1000);
		example_must(export(argv[1]), argv[1]);
		if (report_wanted) {
			report_wanted = 0;
			example_must(ownline_report_write(STDERR_FILENO, OWNLINE_REPORT_TEXT),
				     "the report");
		}
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	example_must(export(argv[1]), argv[1]);
	return balance > 0 ? 0 : 1;
}
