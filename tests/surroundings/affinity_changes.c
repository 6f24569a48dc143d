/*
 * The CPUs that a process may use change while its threads wait, spin and hold; in between, and at
 * the end, it is a single one.
 */
#include "support/threads.h"

#include <sched.h>

#define THREADS 6
#define CHANGES 150

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long turn, passes[THREADS];
static int over;
static atomic_int passes_on_one_cpu, on_one_cpu;

static void *pass_on(void *number)
{
	long mine = (long)(intptr_t)number;

	CHECK_OK(pthread_mutex_lock(&mutex));
	while (!over) {
		if (turn % THREADS == mine) {
			turn++;
			passes[mine]++;
			atomic_fetch_add(&passes_on_one_cpu, atomic_load(&on_one_cpu));
			CHECK_OK(pthread_cond_broadcast(&cond));
			CHECK_OK(pthread_mutex_unlock(&mutex));
			CHECK_OK(pthread_mutex_lock(&mutex)); /* contended by those that wake */
		} else {
			CHECK_OK(pthread_cond_wait(&cond, &mutex));
		}
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void allow(struct check_thread *threads, const cpu_set_t *cpus)
{
	for (int i = 0; i < THREADS; i++)
		CHECK_SYS(sched_setaffinity(atomic_load(&threads[i].tid), sizeof(*cpus), cpus));
}

int main(void)
{
	struct check_thread threads[THREADS];
	cpu_set_t all, one;
	int cpus[CPU_SETSIZE], found = 0;
	long sum = 0;

	check_begin();
	CHECK_SYS(sched_getaffinity(0, sizeof(all), &all));
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &all))
			cpus[found++] = i;
	}
	if (found < 2)
		check_skip("only one CPU");
	for (intptr_t i = 0; i < THREADS; i++) {
		check_start(&threads[i], pass_on, (void *)i);
		check_await(&threads[i].tid, 1);
	}
	for (int i = 0; i < CHANGES; i++) {
		check_sleep_ms(1);
		CPU_ZERO(&one);
		CPU_SET(cpus[i % found], &one);
		allow(threads, i % 3 == 2 ? &all : &one);
	}
	allow(threads, &one);
	atomic_store(&on_one_cpu, 1);
	check_await(&passes_on_one_cpu, 2000);

	CHECK_OK(pthread_mutex_lock(&mutex));
	over = 1;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
	for (int i = 0; i < THREADS; i++)
		check_join(&threads[i]);
	for (int i = 0; i < THREADS; i++) {
		CHECK(passes[0] - passes[i] == 0 || passes[0] - passes[i] == 1);
		sum += passes[i];
	}
	CHECK_EQ(sum, turn);
	return 0;
}
