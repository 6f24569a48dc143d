/* A program of somebody else's, with pthread and native locks. Its argument says how it was linked.
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <ownline/ownline.h>

#define THREADS 4
#define ROUNDS	20000

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static struct ownline_mutex native = OWNLINE_MUTEX_INIT;
static struct ownline_cond cond = OWNLINE_COND_INIT;
static long plain_sum, native_sum;
static int done;

static void *add(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&plain);
		plain_sum++;
		pthread_mutex_unlock(&plain);
		ownline_mutex_lock(&native);
		native_sum++;
		ownline_mutex_unlock(&native);
	}
	ownline_mutex_lock(&native);
	done++;
	ownline_cond_signal(&cond);
	ownline_mutex_unlock(&native);
	return unused;
}

/* A wait whose time is up is counted, if the pthread calls are ownline's. */
static int pthread_calls_are_counted(void)
{
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct ownline_stats before, after;
	struct timespec now;

	ownline_stats_read(&before);
	pthread_mutex_lock(&plain);
	/* Once is enough, unless this thread loses the CPU until the time is up. */
	for (int i = 0; i < 50; i++) {
		timespec_get(&now, TIME_UTC);
		now.tv_nsec += 20000000;
		if (now.tv_nsec >= 1000000000) {
			now.tv_nsec -= 1000000000;
			now.tv_sec++;
		}
		pthread_cond_timedwait(&never, &plain, &now);
		ownline_stats_read(&after);
		if (after.timed_out > before.timed_out)
			break;
	}
	pthread_mutex_unlock(&plain);
	return after.timed_out > before.timed_out && after.cond_waits > before.cond_waits;
}

/* The kinds that stay with glibc work as well; a static program finds them only if it was told to.
 */
static int robust_mutex_works(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t robust;
	int bad;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	bad = pthread_mutex_init(&robust, &attributes);
	bad |= pthread_mutex_lock(&robust);
	bad |= pthread_mutex_unlock(&robust);
	bad |= pthread_mutex_destroy(&robust);
	return bad == 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argc;
	(void)argv;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, add, NULL) != 0)
			return 1;
	ownline_mutex_lock(&native);
	while (done < THREADS)
		ownline_cond_wait(&cond, &native);
	ownline_mutex_unlock(&native);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (plain_sum != THREADS * ROUNDS || native_sum != THREADS * ROUNDS)
		return 2;
	if (!pthread_calls_are_counted())
		return 3;
	if (!robust_mutex_works())
		return 4;
	puts("all counted");
	return 0;
}
