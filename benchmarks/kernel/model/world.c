/* What a run begins with, and what must be true of it at the end. */
#include "kernel/model/sim.h"

#include <stdlib.h>

#define LINE_BYTES 64

/* Where bucket i's lock, and its head, lie. */
static void lay_out(struct run *run)
{
	const enum model_layout layout = run->design->layout;
	const bool global = run->design->lock == LOCK_GLOBAL;
	unsigned count = 2 * run->bucket_count + 1;

	run->lines = calloc(count, sizeof(*run->lines));
	run->locks = calloc(run->bucket_count + 1, sizeof(*run->locks));
	run->buckets = calloc(run->bucket_count, sizeof(*run->buckets));
	if (!run->lines || !run->locks || !run->buckets)
		abort();
	for (unsigned i = 0; i < count; i++)
		line_init(&run->lines[i]);
	for (unsigned i = 0; i < run->bucket_count; i++) {
		struct bucket *bucket = &run->buckets[i];
		unsigned line = i;

		if (layout == LAYOUT_PACKED)
			line = (unsigned)((double)i * run->p.bucket_bytes / LINE_BYTES);
		bucket->lock_line = &run->lines[line];
		bucket->head_line =
		    &run->lines[layout == LAYOUT_APART ? run->bucket_count + i : line];
		bucket->lock = &run->locks[global ? run->bucket_count : i];
		bucket->lock->line = global ? &run->lines[count - 1] : bucket->lock_line;
	}
}

void sim_set_up(struct run *run)
{
	const struct model_parameters *p = &run->p;
	unsigned cpus = (unsigned)p->cpus;

	run->thread_count = (unsigned)p->threads;
	run->bucket_count = (unsigned)p->buckets;
	run->slow = (p->threads < p->cpus ? p->threads : p->cpus) > 2 ? p->busy_ratio : 1;
	run->net = (struct interconnect){.node_cpus = (unsigned)p->node_cpus,
					 .hit_ns = p->hit_ns,
					 .atomic_ns = p->atomic_ns,
					 .local_ns = p->local_ns,
					 .remote_ns = p->remote_ns};
	line_init(&run->refs_line);
	line_init(&run->user_line);
	lay_out(run);
	run->threads = calloc(run->thread_count, sizeof(*run->threads));
	run->cpus = calloc(cpus, sizeof(*run->cpus));
	if (!run->threads || !run->cpus)
		abort();
	run->workload->setup(run);
	for (unsigned i = 0; i < run->thread_count; i++) {
		struct thread *thread = &run->threads[i];

		thread->index = i;
		thread->waiter.cpu = (int)(i % cpus);
		thread->random = sim_mix((uint64_t)p->seed * 1000003 + i);
		line_init(&thread->own_line);
		if (run->cpus[i % cpus].current) {
			sim_make_runnable(run, thread);
			run->wakeups--;
		} else {
			run->cpus[i % cpus].current = thread;
			run->cpus[i % cpus].until = p->slice_ns;
			sim_schedule(run, thread,
				     thread->start_ns + sim_random(thread) * p->call_ns);
		}
	}
}

/* Sleepers are woken once, locks given back as often as taken, waiters counted as they wait. */
const char *sim_check_books(const struct run *run)
{
	uint64_t asleep = 0, held = 0;
	int64_t counted = 0, chained = 0;

	for (unsigned i = 0; i < run->thread_count; i++)
		asleep += run->threads[i].asleep;
	if (run->sleeps != run->wakeups + asleep)
		return "a thread was woken that did not sleep, or the other way round";
	for (unsigned i = 0; i <= run->bucket_count; i++) {
		held += run->locks[i].owner != NULL;
		if (run->locks[i].fault)
			return "a lock had two owners";
		if (run->locks[i].taken != run->locks[i].given_back + (run->locks[i].owner != NULL))
			return "a lock was given back that nobody had";
	}
	if (held > run->thread_count)
		return "more locks are held than there are threads";
	for (unsigned i = 0; i < run->bucket_count; i++) {
		const struct bucket *bucket = &run->buckets[i];
		int64_t here = 0;

		for (const struct thread *thread = bucket->chain; thread;
		     thread = thread->chain_next)
			here++;
		if (bucket->waiters < 0 || (run->design->counts_waiters && bucket->waiters < here))
			return "a bucket counts fewer waiters than it has";
		counted += bucket->waiters;
		chained += here;
	}
	/* Who is counted and not in a chain is between the two, at most once each. */
	if (counted - chained > (int64_t)run->thread_count)
		return "waiters are counted that are gone";
	return NULL;
}
