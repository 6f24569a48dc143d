#include "kernel/model/sim.h"

#include <stdlib.h>
#include <string.h>

/* A minute or so. */
#define MAX_EVENTS 200000000ULL

const char model_too_long[] = "over 2e8 events; ask for fewer --threads or --operations, or, where "
			      "threads outnumber CPUs, for a shorter --slice-ns";

static const struct workload_calls *const workloads[] = {
    [WORKLOAD_HASH] = &workload_hash,
    [WORKLOAD_BOUNCE] = &workload_bounce,
    [WORKLOAD_CHAT] = &workload_chat,
    [WORKLOAD_MUTEX] = &workload_mutex,
};

uint64_t sim_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

double sim_random(struct thread *thread)
{
	thread->random += 0x9e3779b97f4a7c15ULL;
	return (double)(sim_mix(thread->random) >> 11) * 0x1p-53;
}

/* The node of a word: that of the thread which it belongs to. */
static unsigned node_of(const struct run *run, uint64_t address)
{
	uint64_t thread = 0;

	if (run->words_of_thread > 0)
		thread = (uint64_t)((double)address / run->words_of_thread);
	return (unsigned)(thread % (uint64_t)run->p.cpus) / run->net.node_cpus;
}

struct bucket *sim_bucket_of(struct run *run, uint64_t address)
{
	const uint64_t hash = sim_mix(address * 0x9e3779b97f4a7c15ULL + (uint64_t)run->p.seed + 1);
	unsigned nodes = 1, count;

	if (run->design->per_node)
		nodes = ((unsigned)run->p.cpus - 1) / run->net.node_cpus + 1;
	count = run->bucket_count / nodes;
	if (count == 0)
		return &run->buckets[hash % run->bucket_count];
	return &run->buckets[(nodes > 1 ? node_of(run, address) * count : 0) + hash % count];
}

unsigned sim_add(struct thread *thread, enum step_kind kind)
{
	struct step *step = &thread->steps[thread->step_count];

	if (thread->step_count == MODEL_MAX_STEPS)
		abort();
	memset(step, 0, sizeof(*step));
	step->kind = kind;
	return thread->step_count++;
}

void sim_compute(struct thread *thread, double ns)
{
	thread->steps[sim_add(thread, STEP_COMPUTE)].ns = ns;
}

void sim_line(struct thread *thread, enum step_kind kind, struct line *line)
{
	thread->steps[sim_add(thread, kind)].line = line;
}

unsigned sim_bucket(struct thread *thread, enum step_kind kind, struct bucket *bucket)
{
	unsigned step = sim_add(thread, kind);

	thread->steps[step].bucket = bucket;
	return step;
}

void sim_call(struct thread *thread, void (*call)(struct run *run, struct thread *thread))
{
	thread->steps[sim_add(thread, STEP_CALL)].call = call;
}

void sim_target_here(struct thread *thread, unsigned step)
{
	thread->steps[step].target = thread->step_count;
}

static bool earlier(const struct event *a, const struct event *b)
{
	return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void push(struct run *run, const struct event *event)
{
	unsigned i = run->event_count++;

	if (i == run->event_room) {
		run->event_room = run->event_room ? 2 * run->event_room : 1024;
		run->events = realloc(run->events, run->event_room * sizeof(*run->events));
		if (!run->events)
			abort();
	}
	for (; i > 0 && earlier(event, &run->events[(i - 1) / 2]); i = (i - 1) / 2)
		run->events[i] = run->events[(i - 1) / 2];
	run->events[i] = *event;
}

static struct event pop(struct run *run)
{
	struct event first = run->events[0], last = run->events[--run->event_count];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < run->event_count) {
		if (child + 1 < run->event_count &&
		    earlier(&run->events[child + 1], &run->events[child]))
			child++;
		if (!earlier(&run->events[child], &last))
			break;
		run->events[i] = run->events[child];
		i = child;
	}
	run->events[i] = last;
	return first;
}

void sim_schedule(struct run *run, struct thread *thread, double time)
{
	struct event event = {.time = time, .number = ++run->event_number, .thread = thread};

	thread->event = event.number;
	push(run, &event);
}

static void start_measuring(struct run *run)
{
	run->measuring = true;
	run->started_ns = run->now;
	run->operations = run->waits = run->mismatches = run->wakes = run->empty_wakes = 0;
	run->bucket_locks = 0;
	run->transfers_before = run->net.transfers;
	for (int i = 0; i < 2; i++) {
		run->lock_ns[i] = 0;
		run->lock_count[i] = 0;
	}
}

void sim_count_operation(struct run *run, struct thread *thread)
{
	run->operations++;
	if (++thread->operations == (uint64_t)run->p.warm_up && ++run->warm == run->thread_count)
		start_measuring(run);
}

static void fill_result(const struct run *run, struct model_result *result)
{
	*result = (struct model_result){
	    .ns = run->now - run->started_ns,
	    .operations = (double)run->operations,
	    .waits = (double)run->waits,
	    .mismatches = (double)run->mismatches,
	    .wakes = (double)run->wakes,
	    .empty_wakes = (double)run->empty_wakes,
	    .bucket_locks = (double)run->bucket_locks,
	    .transfers =
		(double)(run->net.transfers - run->transfers_before) / (double)run->operations,
	};
	result->total = result->operations / result->ns * 1e9;
	result->per_thread = result->total / run->thread_count;
	for (int i = 0; i < 2; i++) {
		if (run->lock_count[i])
			result->lock_ns[i] = run->lock_ns[i] / (double)run->lock_count[i];
	}
}

static const char *run_events(struct run *run)
{
	const uint64_t wanted = (uint64_t)(run->p.operations * run->thread_count);

	while (!run->measuring || run->operations < wanted) {
		struct event event;

		if (run->event_count == 0)
			return "every thread sleeps";
		if (run->event_number > MAX_EVENTS)
			return model_too_long;
		event = pop(run);
		if (event.number != event.thread->event)
			continue;
		run->now = event.time;
		sim_go_on(run, event.thread);
		if (run->fault)
			return run->fault;
	}
	return sim_check_books(run);
}

const char *model_run(const struct model_parameters *parameters, const struct model_design *design,
		      enum model_workload workload, struct model_result *result)
{
	struct run *run = calloc(1, sizeof(*run));
	const char *fault;

	if (!run)
		abort();
	run->p = *parameters;
	run->design = design;
	run->workload = workloads[workload];
	sim_set_up(run);
	fault = run_events(run);
	if (!fault)
		fill_result(run, result);
	free(run->events);
	free(run->threads);
	free(run->cpus);
	free(run->buckets);
	free(run->locks);
	free(run->lines);
	free(run->pages);
	free(run);
	return fault;
}
