/* The bucket model where its answer is known, and what must hold in every run of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/model/spinlock.h"

static int failed;

static void near(const char *what, double got, double wanted, double tolerance)
{
	if (fabs(got - wanted) <= tolerance * fabs(wanted))
		return;
	printf("%s: %.6f, not %.6f\n", what, got, wanted);
	failed = 1;
}

static void holds(const char *what, bool condition)
{
	if (condition)
		return;
	printf("does not hold: %s\n", what);
	failed = 1;
}

static const struct model_parameters plain = {.cpus = 64,
					      .node_cpus = 32,
					      .hit_ns = 1,
					      .atomic_ns = 5,
					      .local_ns = 40,
					      .remote_ns = 80,
					      .busy_ratio = 1,
					      .jitter = 0,
					      .call_ns = 230,
					      .user_ns = 15,
					      .shared_ns = 130,
					      .queue_ns = 500,
					      .wake_ns = 500,
					      .switch_ns = 1500,
					      .yield_ns = 390,
					      .idle_ns = 5000,
					      .slice_ns = 3e6,
					      .buckets = 1024,
					      .bucket_bytes = 24,
					      .threads = 1,
					      .words = 16,
					      .mismatch = 100,
					      .room = 4,
					      .message_ns = 1000,
					      .section_ns = 25,
					      .outside_ns = 50,
					      .look_ns = 350,
					      .yields = 7,
					      .patient_ns = MODEL_BY_CPUS,
					      .count_all = MODEL_BY_CPUS,
					      .spin_ns = 3000,
					      .warm_up = 64,
					      .operations = 640,
					      .seed = 1};

static struct model_result run(const struct model_parameters *parameters, const char *design,
			       enum model_workload workload)
{
	struct model_result result;
	const char *fault;

	memset(&result, 0, sizeof(result));
	fault = model_run(parameters, model_find_design(design), workload, &result);
	if (fault) {
		printf("%s, workload %d: %s\n", design, workload, fault);
		failed = 1;
	}
	return result;
}

static double ns_per_operation(const struct model_parameters *parameters, const char *design)
{
	return 1e9 / run(parameters, design, WORKLOAD_HASH).per_thread;
}

/* Alone, a wait costs the sum of what it does. */
static void one_thread_is_a_sum(void)
{
	struct model_parameters p = plain;

	near("fix A alone", ns_per_operation(&p, "precheck"), 230, 1e-9);
	/* waiter counted, lock, unlock, waiter gone */
	near("bucket alone", ns_per_operation(&p, "bucket"), 230 + 4 * 5, 1e-9);
	/* ... and two looks at the back pointer */
	near("global hash alone", ns_per_operation(&p, "global-hash"), 230 + 4 * 5 + 2, 1e-9);
	near("first series alone", ns_per_operation(&p, "private-shared-refs"), 230 + 6 * 5 + 2,
	     1e-9);
	p.shared = 1;
	near("shared futexes alone", ns_per_operation(&p, "bucket"), 230 + 130 + 6 * 5, 1e-9);
	p.shared = 0;
	p.mismatch = 0;
	/* into the chain, out of it under the lock again, and a timer */
	near("matched alone", ns_per_operation(&p, "bucket"), 230 + 500 + 8 * 5, 1e-9);
}

/* Two threads of one CPU take turns: a wake, a wait, and a switch between them. */
static void bounce_on_one_cpu_is_a_sum(void)
{
	struct model_parameters p = plain;
	const double call = 230 - 15;
	const double look = 1, pass = 5, hash = 2 * (1 + 1);
	const double wake = call + hash + 1 + 5 + (1 + 5 + 5) + 5 + 500;
	const double wait = call + hash + 5 + 5 + 15 + 1 + 5 + 5;

	p.threads = 2;
	p.cpus = 1;
	near("bounce on one CPU", 1e9 / run(&p, "private", WORKLOAD_BOUNCE).total,
	     2 * look + pass + wake + wait + 1500, 1e-9);
}

/*
 * A woken thread that is quick finds the word's line taken away by fix A's look: two lines more to
 * move per turn. What bucket-model.md says about the published loss rests on it.
 */
static void look_takes_the_line_of_a_quick_waker(void)
{
	struct model_parameters p;
	struct model_result before, after;

	holds("there is a machine zen3", model_machine("zen3", &p));
	p.idle_ns = 260;
	p.local_ns = p.remote_ns = 100;
	p.call_ns = 150;
	p.user_ns = 30;
	p.wake_ns = 70;
	before = run(&p, "private", WORKLOAD_BOUNCE);
	after = run(&p, "precheck", WORKLOAD_BOUNCE);
	holds("all wait and sleep", before.mismatches + after.mismatches == 0);
	near("lines of a turn", before.transfers, 4, 0.02);
	near("lines of a turn, fix A", after.transfers, 6, 0.02);
	near("fix A's loss", after.total / before.total, 0.89, 0.01);
}

/* When every call wants one lock, it is held all the time: 1 / what happens under it. */
static void saturated_lock_is_its_section(void)
{
	struct model_parameters p = plain;

	p.threads = 64;
	p.hit_ns = p.atomic_ns = p.local_ns = p.remote_ns = 0;
	near("one saturated lock", run(&p, "global2003", WORKLOAD_HASH).total, 1e9 / 15, 1e-3);
	p.buckets = 1;
	near("one saturated bucket", run(&p, "bucket", WORKLOAD_HASH).total, 1e9 / 15, 1e-3);
	p.local_ns = p.remote_ns = 40;
	holds("lines that move make a saturated lock slower",
	      run(&p, "bucket", WORKLOAD_HASH).total < 1e9 / 15);
}

/* One count that all calls change twice: its line moves all the time. */
static void saturated_count_is_its_line(void)
{
	struct model_parameters p = plain;

	p.threads = 64;
	p.remote_ns = p.local_ns;
	p.buckets = 1 << 16;
	near("one count of users", run(&p, "private-shared-refs", WORKLOAD_HASH).total,
	     1e9 / (2 * (40 + 5)), 1e-2);
}

/* A thread that never sleeps has the CPU for a slice, and then the next one, after a switch. */
static void threads_of_a_cpu_take_turns(void)
{
	struct model_parameters p = plain;

	p.cpus = 1;
	p.threads = 3;
	p.words = 1;
	p.operations = 1e5;
	p.slice_ns = 3e5;
	near("three threads on one CPU", 1e9 / run(&p, "precheck", WORKLOAD_HASH).total,
	     230 * (1 + p.switch_ns / p.slice_ns), 1e-3);
}

/* The work, and two changes of a word that is at hand. */
static void mutex_alone_is_a_sum(void)
{
	struct model_parameters p = plain;

	p.operations = 1e5;
	near("glibc's mutex alone", 1e9 / run(&p, "private", WORKLOAD_MUTEX).total, 25 + 50 + 2 * 5,
	     1e-2);
	near("ownline's mutex alone", 1e9 / run(&p, "ownline", WORKLOAD_MUTEX).total,
	     25 + 50 + 2 * 5, 1e-2);
}

/*
 * Two threads at one mutex. Where sections follow upon each other without a pause, one thread does
 * many of them while the other one stays away: hardly more than the work. Where they are long,
 * nobody stays away: between two sections the line moves for the release, for a look that comes
 * meanwhile and so right after it, and for the attempt that takes the mutex.
 */
static void spinners_stay_away_where_it_pays(void)
{
	struct model_parameters p = plain;
	struct model_result result;

	p.cpus = p.threads = 2;
	p.operations = 2e4;
	p.section_ns = 20;
	p.outside_ns = 0;
	result = run(&p, "ownline", WORKLOAD_MUTEX);
	near("a rushed mutex", 1e9 / result.total, 20 + 2 * 5, 0.2);
	holds("its line stays with an owner for many sections", result.transfers < 0.2);
	p.section_ns = 1000;
	p.outside_ns = 500;
	p.look_ns = 1e5; /* for as long as it takes */
	result = run(&p, "ownline", WORKLOAD_MUTEX);
	near("a long section and the way to the next", 1e9 / result.total,
	     1000 + (40 + 5) + 40 + (40 + 5), 1e-3);
}

/*
 * With many CPUs looks are seldomer: pauses grow to 200 ns, each of half of that or more at random.
 * The next look comes after the rest of such a pause, or right after the release if that rest is
 * shorter than the release takes. The mean rest is the mean square of a pause over twice its mean;
 * rests shorter than half a pause are all as frequent.
 */
static void many_cpus_look_seldomer(void)
{
	struct model_parameters p = plain;
	const double mean = 0.75 * 200, square = mean * mean + 100 * 100 / 12.0;
	const double release = 40 + 5, rest = square / (2 * mean);

	p.cpus = 16;
	p.threads = 2;
	p.operations = 2e4;
	p.section_ns = 1000;
	p.outside_ns = 500;
	p.look_ns = 1e5;
	near("a long section on many CPUs", 1e9 / run(&p, "ownline", WORKLOAD_MUTEX).total,
	     1000 + rest + release * release / (2 * mean) + 40 + (40 + 5), 1e-3);
}

/* What is left to the number of CPUs is what runtime/core/spin.c makes of it. */
static void patience_goes_by_cpus(void)
{
	static const double rules[][3] = {
	    {2, 50, 0}, {3, 75, 1}, {8, 200, 1}, {16, 400, 1}, {64, 400, 1}};

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct model_parameters p = plain;
		struct model_result usual, given, other;

		p.cpus = p.threads = rules[i][0];
		if (p.cpus < 4)
			p.operations = 4e4; /* fewer look, so it learns for longer */
		p.section_ns = 15;	    /* rushed, with any number of CPUs */
		p.outside_ns = 40;
		usual = run(&p, "ownline", WORKLOAD_MUTEX);
		p.patient_ns = rules[i][1];
		p.count_all = rules[i][2];
		given = run(&p, "ownline", WORKLOAD_MUTEX);
		holds("the rule for so many CPUs", usual.ns == given.ns);
		p.patient_ns++;
		other = run(&p, "ownline", WORKLOAD_MUTEX);
		holds("another pause is another run", usual.ns != other.ns);
		p.patient_ns--;
		p.count_all = !p.count_all;
		other = run(&p, "ownline", WORKLOAD_MUTEX);
		holds("another count is another run", usual.ns != other.ns);
	}
}

static void apart_is_linear(void)
{
	struct model_parameters p = plain;
	struct model_result result;

	p.words = 1;
	p.buckets = 1 << 20;
	p.threads = 8;
	result = run(&p, "private", WORKLOAD_HASH);
	holds("eight words in a million buckets meet nowhere", result.transfers == 0);
	p.threads = 1;
	near("eight threads that never meet", result.total,
	     8 * run(&p, "private", WORKLOAD_HASH).total, 1e-3);
}

/* Words that are used on one node alone never move between nodes, if the hash is split. */
static void split_hash_stays_on_its_node(void)
{
	struct model_parameters p = plain;
	double split;

	p.threads = 64;
	p.buckets = 64;
	split = run(&p, "numa-hash", WORKLOAD_HASH).per_thread;
	holds("a split hash is faster where nodes are apart",
	      split > run(&p, "global-hash", WORKLOAD_HASH).per_thread);
	p.remote_ns = 10000;
	near("its lines cross no node", run(&p, "numa-hash", WORKLOAD_HASH).per_thread, split,
	     1e-2);
}

static void counts_add_up(void)
{
	struct model_parameters p = plain;
	struct model_result result;

	p.threads = 24;
	p.buckets = 4;
	result = run(&p, "private", WORKLOAD_HASH);
	holds("all mismatch", result.waits > 0 && result.mismatches == result.waits);
	near("a lock per mismatched wait", result.bucket_locks, result.waits, 1e-2);
	result = run(&p, "precheck", WORKLOAD_HASH);
	holds("fix A takes no lock for a mismatched wait", result.bucket_locks == 0);
	result = run(&p, "trylock", WORKLOAD_HASH);
	holds("fix B leaves without the lock at times",
	      result.bucket_locks > 0 && result.bucket_locks < result.waits);
	p.mismatch = 0;
	result = run(&p, "trylock", WORKLOAD_HASH);
	holds("none mismatches", result.mismatches == 0);
	near("two locks per matched wait", result.bucket_locks, 2 * result.waits, 1e-2);
	p.mismatch = 30;
	result = run(&p, "bucket", WORKLOAD_HASH);
	near("the share that was asked for", result.mismatches / result.waits, 0.30, 0.05);
}

/* Books are checked at the end of each run: no lock with two owners, nobody lost or woken twice. */
static void every_design_under_every_workload(void)
{
	for (unsigned i = 0; i < model_design_count; i++) {
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct model_parameters p = plain;

			p.seed = (double)seed;
			p.jitter = 30;
			p.threads = 12;
			p.buckets = 3;
			p.mismatch = 40;
			run(&p, model_designs[i].name, WORKLOAD_HASH);
			run(&p, model_designs[i].name, WORKLOAD_MUTEX);
			p.one_wake = 1;
			p.count_all = 0;
			p.patient_ns = 50;
			run(&p, model_designs[i].name, WORKLOAD_MUTEX);
			p.threads = 2;
			p.idle_ns = 100;
			run(&p, model_designs[i].name, WORKLOAD_BOUNCE);
			p.threads = 40;
			p.cpus = 3;
			run(&p, model_designs[i].name, WORKLOAD_CHAT);
		}
	}
}

static void same_seed_same_run(void)
{
	struct model_parameters p = plain;
	struct model_result first, again, other;

	p.threads = 16;
	p.buckets = 5;
	p.jitter = 20;
	p.mismatch = 50;
	first = run(&p, "private", WORKLOAD_HASH);
	again = run(&p, "private", WORKLOAD_HASH);
	p.seed = 2;
	other = run(&p, "private", WORKLOAD_HASH);
	holds("a seed decides all", memcmp(&first, &again, sizeof(first)) == 0);
	holds("another seed is another run", first.ns != other.ns);
}

static void lines_move_as_they_are_used(void)
{
	struct interconnect net = {
	    .node_cpus = 2, .hit_ns = 1, .atomic_ns = 5, .local_ns = 40, .remote_ns = 80};
	struct line line;
	double now;

	line_init(&line);
	now = line_change(&net, &line, 0, 0);
	near("first use", now, 45, 1e-12);
	near("own line", line_change(&net, &line, 0, now) - now, 5, 1e-12);
	now = 1000;
	near("from the node", line_read(&net, &line, 1, now) - now, 40, 1e-12);
	near("a copy at hand", line_read(&net, &line, 1, 2000) - 2000, 1, 1e-12);
	near("the owner after that", line_change(&net, &line, 0, 3000) - 3000, 45, 1e-12);
	near("from another node", line_change(&net, &line, 2, 4000) - 4000, 85, 1e-12);
	near("behind another access", line_change(&net, &line, 3, 4000) - 4000, 85 + 45, 1e-12);
}

/* What the books look for is found. */
static void wrong_use_of_a_lock_is_seen(void)
{
	struct interconnect net = {.node_cpus = 2, .local_ns = 40, .remote_ns = 80};
	struct line line;
	struct spinlock lock = {.line = &line};
	struct spin_waiter owner = {.cpu = 0}, thief = {.cpu = 1};
	struct spin_event event;
	double done;

	line_init(&line);
	holds("a free lock is had at once", spin_trylock(&net, &lock, &owner, 0, &done));
	holds("a taken one is not", !spin_trylock(&net, &lock, &thief, done, &done));
	holds("so far all is well", !lock.fault);
	spin_unlock(&net, &lock, &thief, done, &event);
	holds("a release by another is a fault", lock.fault);
}

int main(void)
{
	one_thread_is_a_sum();
	bounce_on_one_cpu_is_a_sum();
	look_takes_the_line_of_a_quick_waker();
	saturated_lock_is_its_section();
	saturated_count_is_its_line();
	threads_of_a_cpu_take_turns();
	mutex_alone_is_a_sum();
	spinners_stay_away_where_it_pays();
	many_cpus_look_seldomer();
	patience_goes_by_cpus();
	apart_is_linear();
	split_hash_stays_on_its_node();
	counts_add_up();
	every_design_under_every_workload();
	same_seed_same_run();
	lines_move_as_they_are_used();
	wrong_use_of_a_lock_is_seen();
	return failed;
}
