/* What each step does, and who runs on a CPU. */
#include "kernel/model/sim.h"

static void spin_schedule(struct run *run, const struct spin_event *event)
{
	if (event->waiter)
		sim_schedule(run, (struct thread *)event->waiter, event->time);
}

static void run_from(struct run *run, struct cpu *cpu, struct thread *thread, double time)
{
	cpu->until = time + run->p.slice_ns;
	sim_schedule(run, thread, time);
}

/* The CPU goes on with the next runnable thread, if any. */
static void leave_cpu(struct run *run, struct thread *thread)
{
	struct cpu *cpu = &run->cpus[thread->waiter.cpu];
	struct thread *next = cpu->first;

	cpu->current = next;
	if (!next)
		return;
	cpu->first = next->run_next;
	next->runnable = false;
	run_from(run, cpu, next, run->now + run->p.switch_ns);
}

static void stand_last(struct cpu *cpu, struct thread *thread)
{
	thread->run_next = NULL;
	thread->runnable = true;
	if (cpu->first)
		cpu->last->run_next = thread;
	else
		cpu->first = thread;
	cpu->last = thread;
}

void sim_make_runnable(struct run *run, struct thread *thread)
{
	struct cpu *cpu = &run->cpus[thread->waiter.cpu];

	run->wakeups++;
	if (!cpu->current) {
		cpu->current = thread;
		run_from(run, cpu, thread, run->now + run->p.idle_ns);
		return;
	}
	stand_last(cpu, thread);
}

static void give_way(struct run *run, struct thread *thread)
{
	stand_last(&run->cpus[thread->waiter.cpu], thread);
	thread->event = 0;
	leave_cpu(run, thread);
}

static void yield_step(struct run *run, struct thread *thread)
{
	thread->step++;
	if (run->cpus[thread->waiter.cpu].first)
		give_way(run, thread);
	else
		sim_schedule(run, thread, run->now + run->p.yield_ns * run->slow);
}

/* Between two programs, where no thread is in the kernel; one may well own a mutex of the user's.
 */
static bool slice_is_over(const struct run *run, const struct thread *thread)
{
	const struct cpu *cpu = &run->cpus[thread->waiter.cpu];

	return cpu->first && run->now >= cpu->until;
}

static void sleep_step(struct run *run, struct thread *thread)
{
	thread->step++;
	if (thread->woken) {
		sim_schedule(run, thread, run->now);
		return;
	}
	run->sleeps++;
	thread->asleep = true;
	leave_cpu(run, thread);
}

static void unlink_waiter(struct bucket *bucket, struct thread *thread)
{
	struct thread **link = &bucket->chain;

	while (*link != thread)
		link = &(*link)->chain_next;
	*link = thread->chain_next;
	thread->queued = false;
}

static double queue_step(struct run *run, struct thread *thread, struct bucket *bucket)
{
	struct thread **link = &bucket->chain;

	while (*link)
		link = &(*link)->chain_next;
	*link = thread;
	thread->chain_next = NULL;
	thread->queued = true;
	thread->woken = false;
	return line_change(&run->net, bucket->head_line, thread->waiter.cpu, run->now);
}

static double take_step(struct run *run, struct thread *thread, struct bucket *bucket)
{
	double done = line_read(&run->net, bucket->head_line, thread->waiter.cpu, run->now);
	struct thread *waiter = bucket->chain;

	while (waiter && waiter->word != thread->wake_word)
		waiter = waiter->chain_next;
	thread->taken = waiter;
	if (!run->design->counts_waiters)
		run->wakes++;
	if (!waiter)
		return done;
	unlink_waiter(bucket, waiter);
	waiter->woken = true;
	done = line_change(&run->net, bucket->head_line, thread->waiter.cpu, done);
	if (run->design->counts_waiters) {
		bucket->waiters--;
		done = line_change(&run->net, bucket->lock_line, thread->waiter.cpu, done);
	}
	return done;
}

static void wake_step(struct run *run, struct thread *thread)
{
	struct thread *taken = thread->taken;

	thread->step++;
	thread->taken = NULL;
	if (taken && taken->asleep) {
		taken->asleep = false;
		sim_make_runnable(run, taken);
	}
	sim_schedule(run, thread, run->now + (taken ? run->p.wake_ns : 0));
}

static void lock_step(struct run *run, struct thread *thread, struct spinlock *lock)
{
	struct spin_event events[2];

	if (thread->waiter.phase == SPIN_ASK)
		thread->lock_asked = run->now;
	if (spin_lock(&run->net, lock, &thread->waiter, run->now, events)) {
		thread->lock_ns += events[0].time - thread->lock_asked;
		thread->step++;
		run->bucket_locks++;
	}
	spin_schedule(run, &events[0]);
	spin_schedule(run, &events[1]);
}

static void unlock_step(struct run *run, struct thread *thread, struct spinlock *lock)
{
	struct spin_event event;
	double done = spin_unlock(&run->net, lock, &thread->waiter, run->now, &event);

	spin_schedule(run, &event);
	thread->step++;
	sim_schedule(run, thread, done);
}

static bool word_differs(const struct thread *thread)
{
	return thread->word ? *thread->word != thread->expected : thread->mismatches;
}

static void wait_ends(struct run *run, struct thread *thread, bool mismatched)
{
	run->waits++;
	run->mismatches += mismatched;
	run->lock_ns[mismatched] += thread->lock_ns;
	run->lock_count[mismatched]++;
	thread->lock_ns = 0;
}

static double count_step(struct run *run, struct thread *thread, struct bucket *bucket, int change)
{
	bucket->waiters += change;
	return line_change(&run->net, bucket->lock_line, thread->waiter.cpu, run->now);
}

static double try_step(struct run *run, struct thread *thread, struct step *step)
{
	double done;

	if (spin_trylock(&run->net, step->bucket->lock, &thread->waiter, run->now, &done)) {
		thread->lock_ns += done - run->now;
		run->bucket_locks++;
	} else {
		thread->step = step->target - 1;
	}
	return done;
}

static double pending_step(struct run *run, struct thread *thread, struct step *step)
{
	run->wakes++;
	if (step->bucket->waiters == 0) {
		run->empty_wakes++;
		thread->step = step->target - 1;
	}
	return line_read(&run->net, step->bucket->lock_line, thread->waiter.cpu, run->now);
}

/* Steps that always go on by themselves; returns when. */
static double simple_step(struct run *run, struct thread *thread, struct step *step)
{
	switch (step->kind) {
	case STEP_COMPUTE:
		return run->now + step->ns * run->slow *
				      (1 + run->p.jitter / 100 * (2 * sim_random(thread) - 1));
	case STEP_READ:
		return line_read(&run->net, step->line, thread->waiter.cpu, run->now);
	case STEP_CHANGE:
		return line_change(&run->net, step->line, thread->waiter.cpu, run->now);
	case STEP_TRYLOCK:
		return try_step(run, thread, step);
	case STEP_CHECK:
		if (word_differs(thread))
			thread->step = step->target - 1;
		return run->now;
	case STEP_COUNT:
		return count_step(run, thread, step->bucket, 1);
	case STEP_UNCOUNT:
		return count_step(run, thread, step->bucket, -1);
	case STEP_PENDING:
		return pending_step(run, thread, step);
	case STEP_QUEUE:
		return queue_step(run, thread, step->bucket);
	case STEP_UNQUEUE:
		unlink_waiter(step->bucket, thread);
		return line_change(&run->net, step->bucket->head_line, thread->waiter.cpu,
				   run->now);
	case STEP_TAKE:
		return take_step(run, thread, step->bucket);
	case STEP_JUMP:
		thread->step = step->target - 1;
		return run->now;
	case STEP_MATCHED:
	case STEP_MISMATCH:
		wait_ends(run, thread, step->kind == STEP_MISMATCH);
		return run->now;
	default:
		run->fault = "a step of no kind";
		return run->now;
	}
}

void sim_go_on(struct run *run, struct thread *thread)
{
	struct step *step;
	double done;

	if (thread->step == thread->step_count) {
		thread->step = thread->step_count = 0;
		if (slice_is_over(run, thread)) {
			give_way(run, thread);
			return;
		}
		run->workload->next(run, thread);
		sim_schedule(run, thread, run->now);
		return;
	}
	step = &thread->steps[thread->step];
	switch (step->kind) {
	case STEP_LOCK:
		lock_step(run, thread, step->bucket->lock);
		return;
	case STEP_UNLOCK:
		unlock_step(run, thread, step->bucket->lock);
		return;
	case STEP_SLEEP:
		sleep_step(run, thread);
		return;
	case STEP_WAKE:
		wake_step(run, thread);
		return;
	case STEP_YIELD:
		yield_step(run, thread);
		return;
	case STEP_CALL:
		thread->step++;
		thread->event = 0;
		step->call(run, thread);
		if (!thread->event)
			sim_schedule(run, thread, run->now);
		return;
	default:
		done = simple_step(run, thread, step);
		thread->step++;
		sim_schedule(run, thread, done);
	}
}
