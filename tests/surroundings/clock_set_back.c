/*
 * The clock is set back, and forward, between the making of a deadline and its end: what counts is
 * the clock at the wait; other clocks do not mind. Runs with libfaketime, whose clock stands in a
 * file: clock_set_back FILE
 * (It hands timed locks of mutexes to the C library as they are: they follow the real clock.)
 */
#include "support/threads.h"

#define HOUR 3600

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *file;

static void set_clock(long seconds)
{
	FILE *stream = fopen(file, "w");

	CHECK(stream);
	fprintf(stream, "%+ld\n", seconds);
	CHECK(fclose(stream) == 0);
}

static void *signal_later(void *cond)
{
	check_sleep_ms(150);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_OK(pthread_cond_signal(cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_cond_t realtime = PTHREAD_COND_INITIALIZER, monotonic;
	pthread_condattr_t attributes;
	struct check_thread thread;
	struct timespec due, before;

	check_begin();
	CHECK(argc == 2);
	file = argv[1];
	CHECK_OK(pthread_condattr_init(&attributes));
	CHECK_OK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
	CHECK_OK(pthread_cond_init(&monotonic, &attributes));

	set_clock(0);
	before = check_now(CLOCK_REALTIME);
	set_clock(-HOUR);
	due = check_now(CLOCK_REALTIME);
	if (due.tv_sec > before.tv_sec - HOUR / 2)
		check_skip("this libfaketime does not look at its file again");

	/* Set back: the deadline is an hour away, and a signal comes before it. */
	set_clock(0);
	due = check_after_ms(CLOCK_REALTIME, 50);
	CHECK_OK(pthread_mutex_lock(&mutex));
	set_clock(-HOUR);
	check_start(&thread, signal_later, &realtime);
	CHECK_OK(pthread_cond_timedwait(&realtime, &mutex, &due));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	check_join(&thread);

	/* Set forward: the deadline has passed. */
	set_clock(-HOUR);
	due = check_after_ms(CLOCK_REALTIME, HOUR / 2 * 1000L);
	set_clock(0);
	CHECK_OK(pthread_mutex_lock(&mutex));
	CHECK_ERR(pthread_cond_timedwait(&realtime, &mutex, &due), ETIMEDOUT);

	/* By the monotonic clock a wait ends whatever happens to the other. */
	due = check_after_ms(CLOCK_MONOTONIC, 50);
	set_clock(-HOUR);
	CHECK_ERR(pthread_cond_timedwait(&monotonic, &mutex, &due), ETIMEDOUT);
	due = check_after_ms(CLOCK_MONOTONIC, 50);
	set_clock(HOUR);
	CHECK_ERR(pthread_cond_timedwait(&monotonic, &mutex, &due), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return 0;
}
