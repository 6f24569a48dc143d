/*
 * Short threads: one after another they are made, lock a mutex, wait once on a condition, and end.
 * What a lock library does for a thread's first wait, and at its end, is a part of each.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/catalogue.h"
#include "workloads/pin.h"

#define STACK_BYTES (64 * 1024)

struct spawn {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	struct own_peer_cond all_here;
	struct own_peer_cond may_end;
	unsigned here;
	bool end;
	alignas(OWN_APART) pthread_t *threads;
	pthread_attr_t attribute;
	cpu_set_t allowed;
	unsigned count;
	bool held;
	bool pin;
};

static void setup_spawn(struct own_run *run)
{
	struct spawn *spawn = own_allocate(1, sizeof(*spawn));

	if (run->arguments[0] < 1 || run->arguments[0] > 20000)
		own_fail("spawn: from 1 to 20000 threads, not %ld", run->arguments[0]);
	if (run->arguments[1] < 0 || run->arguments[1] > 1)
		own_fail("spawn: the mutex is held (1) or not (0) while they are made");
	run->thread_count = 1;
	spawn->count = (unsigned)run->arguments[0];
	spawn->held = run->arguments[1] != 0;
	spawn->pin = run->options.pin;
	if (spawn->pin && sched_getaffinity(0, sizeof(spawn->allowed), &spawn->allowed))
		own_fail("cannot read the CPU affinity mask; use --no-pin");
	spawn->threads = own_allocate(spawn->count, sizeof(*spawn->threads));
	own_peer_mutex_init(&spawn->mutex);
	own_peer_cond_init(&spawn->all_here);
	own_peer_cond_init(&spawn->may_end);
	pthread_attr_init(&spawn->attribute);
	pthread_attr_setstacksize(&spawn->attribute, STACK_BYTES);
	run->state = spawn;
}

static void *live(void *argument)
{
	struct spawn *spawn = argument;

	own_peer_lock(&spawn->mutex);
	if (++spawn->here == spawn->count)
		own_peer_signal(&spawn->all_here);
	while (!spawn->end)
		own_peer_wait(&spawn->may_end, &spawn->mutex);
	own_peer_unlock(&spawn->mutex);
	return NULL;
}

static void make_all(struct spawn *spawn)
{
	for (unsigned i = 0; i < spawn->count; i++) {
		int error;

		/* A thread begins where its maker is bound to at that moment. */
		if (spawn->pin)
			own_pin(&spawn->allowed, i);
		error = pthread_create(&spawn->threads[i], &spawn->attribute, live, spawn);
		if (error)
			own_fail("cannot create thread %u: %s; use fewer threads", i + 1,
				 strerror(error));
	}
}

static void spawn_once(struct spawn *spawn)
{
	spawn->here = 0;
	spawn->end = false;
	if (spawn->held)
		own_peer_lock(&spawn->mutex);
	make_all(spawn);
	if (!spawn->held)
		own_peer_lock(&spawn->mutex);
	while (spawn->here < spawn->count)
		own_peer_wait(&spawn->all_here, &spawn->mutex);
	spawn->end = true;
	own_peer_broadcast(&spawn->may_end);
	own_peer_unlock(&spawn->mutex);
	for (unsigned i = 0; i < spawn->count; i++)
		pthread_join(spawn->threads[i], NULL);
}

static void thread_spawn(struct own_run *run, struct own_thread *self)
{
	struct spawn *spawn = run->state;

	while (!own_stopping(run)) {
		uint64_t started = own_sample_begin(self);

		spawn_once(spawn);
		own_count(self, spawn->count);
		own_sample_end(self, started);
	}
}

static void teardown_spawn(struct own_run *run)
{
	struct spawn *spawn = run->state;

	own_peer_cond_destroy(&spawn->may_end);
	own_peer_cond_destroy(&spawn->all_here);
	own_peer_mutex_destroy(&spawn->mutex);
	pthread_attr_destroy(&spawn->attribute);
	free(spawn->threads);
	free(spawn);
}

const struct own_workload own_workload_spawn = {
    .name = "spawn",
    .usage = "THREADS [HELD]",
    .help = "threads that are made, lock, wait once and end; HELD: the mutex is, meanwhile",
    .required = 1,
    .arguments = 2,
    .alone = true,
    .setup = setup_spawn,
    .thread = thread_spawn,
    .teardown = teardown_spawn,
};
