#include "core/spin.h"

#include "config/options.h"
#include "core/mutex.h"
#include "core/thread_life.h"
#include "core/yield.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/delay.h"

/* How long a look at affinity and policy stays good. */
#define SCHEDULE_FRESH_NS UINT64_C(10000000)
/* How long threads that were seen on different CPUs are believed to run side by side. */
#define SEVERAL_CPUS_NS UINT64_C(100000000)
/* Spinning before the first yield, which tells whether others want the CPU, and between two. */
#define FIRST_CHUNK_NS UINT64_C(300)
#define CHUNK_NS       UINT64_C(2000)
/*
 * The last look before parking: no more than parking costs, and a notification that comes in it
 * would have met the kernel's first steps, as a mismatched wait. A mutex is often released within
 * the microsecond, a condition seldom.
 */
#define LAST_LOOK_MUTEX_NS  UINT64_C(5000)
#define BRIEF_LOOK_MUTEX_NS UINT64_C(1000) /* where spinning does not pay */
/* Where yields are a bad bargain, a wait for a mutex spins as long as without; one for a condition,
 * which may last, so long. */
#define CROWDED_LOOK_COND_NS UINT64_C(3000)
/* Between two looks at the lock word: its owner needs the line. The more CPUs may look, the
 * seldomer each does. */
#define LOOK_STEP_NS UINT64_C(20)
#define MOST_STEP_NS UINT64_C(200)
/*
 * A mutex that was taken so often while a thread looked is passed on swiftly, and will soon be seen
 * free: it is worth so many such turns more, rather than a yield, after which it takes many
 * sections of others until the thread runs again. Not if it is rushed, if only now and then.
 */
#define PASSED_ON  3
#define MORE_TURNS 4
/*
 * What first looks found, in own_mutex.looks. Of RUSHED_MOST early ones, made at once, so many
 * found that the mutex is taken more than once in RUSH times that its cacheline travels: past
 * RUSHED_MANY waits are patient, but for one in EARLY_LOOKS. Their first look comes after
 * PATIENT_STEP_NS, doubled by PATIENCE_ONE for each look that found it locked, and halved by one in
 * PATIENCE_FALLS that found it free.
 */
#define RUSH		2
#define RUSHED_MOST	31
#define RUSHED_MANY	(RUSHED_MOST / 3)
#define RUSHED_FEW	2
#define EARLY_LOOKS	8
#define PATIENT_STEP_NS UINT64_C(25)
#define PATIENT_CPUS	16
#define PATIENCE_ONE	(RUSHED_MOST + 1)
#define PATIENCE_MOST	7
#define PATIENCE_FALLS	8
/*
 * About what a processor works ahead. Where lines travel for longer, two CPUs that work with the
 * same mutexes wait for lines most of the time, and one that is left alone does more than both. So
 * there all waits are patient, for so many times the way. On more CPUs nobody is alone.
 */
#define NEAR_NS	  UINT64_C(75)
#define FAR_TIMES UINT64_C(8)
/* Spinning that fails more often than this is tried once in RETRY times only. */
#define FAILURES_MANY (UINT8_MAX / 8 * 7)
/* The same for each stage of a mutex, of which each has so many bits of own_mutex.spin. */
#define STAGE_BITS 4u
#define STAGE_MOST ((1u << STAGE_BITS) - 1)
#define STAGE_MANY (STAGE_MOST * 7 / 8)
/* Both at their most: who tries all the same looks, and does not yield. */
#define HELD_LONG  UINT8_MAX
#define LEARN_STEP 8
/* Learnt at once from so many, half of an average is what they found. */
#define MANY  128
#define RETRY 16

/*
 * A broadcast to so many waiters wakes them all: each finds the mutex soon. To more it wakes one
 * for each CPU, and each of these wakes the next when it unlocks: many that run at once stand in
 * each other's way.
 */
#define WAITERS_PER_CPU 4

static bool quota_is_tight;
static long cpus_at_start = 1;

long own_spin_broadcast_wakes(long waiters)
{
	long wakes = own_option(OWN_OPTION_broadcast_wakes);

	if (wakes != 0)
		return wakes;
	return waiters <= WAITERS_PER_CPU * cpus_at_start ? waiters : cpus_at_start;
}

/* When threads of this process were last seen on different CPUs (ticks). */
static _Atomic uint64_t several_cpus_seen;
static _Atomic uint16_t last_cpu;

/*
 * Threads that are pinned to one CPU each run side by side all the same; threads that are all bound
 * to the same CPU do not. Which it is shows in where they come from.
 */
static bool several_cpus_in_use(uint64_t now)
{
	uint16_t cpu = own_cpu_mark();

	/* relaxed, and racy: a wrong answer costs time only */
	if (own_load_relaxed(&last_cpu) != cpu) {
		own_store_relaxed(&last_cpu, cpu);
		own_store_relaxed(&several_cpus_seen, now);
		return true;
	}
	return own_ticks_near(now, own_load_relaxed(&several_cpus_seen),
			      own_ns_to_ticks(SEVERAL_CPUS_NS));
}

static void look_at_schedule(struct own_thread *self, uint64_t now)
{
	self->schedule_checked = now;
	own_thread_look_at_schedule();
	self->parallel = self->cpus > 1 || several_cpus_in_use(now);
}

static void keep_schedule_fresh(struct own_thread *self, uint64_t now)
{
	if (own_unlikely(now - self->schedule_checked > own_ns_to_ticks(SCHEDULE_FRESH_NS) ||
			 self->cpus == 0))
		look_at_schedule(self, now);
}

bool own_spin_is_realtime(uint64_t now)
{
	keep_schedule_fresh(&own_self, now);
	return own_self.realtime;
}

/* Whether others of the process run while the caller looks at a word. */
static bool looking_can_help(uint64_t now)
{
	struct own_thread *self = &own_self;

	keep_schedule_fresh(self, now);
	return self->parallel && !quota_is_tight && own_option(OWN_OPTION_spin) != 0;
}

/* A real-time thread that spins or yields may keep the thread that it waits for from running. */
static bool spinning_can_help(uint64_t now)
{
	return looking_can_help(now) && !own_self.realtime;
}

void own_spin_start(void)
{
	quota_is_tight = own_cpu_quota_below_two();
	look_at_schedule(&own_self, own_ticks());
	cpus_at_start = own_self.cpus;
}

void own_spin_pause_for(uint64_t start, uint64_t ticks)
{
	do
		own_pause();
	while (own_ticks() - start < ticks);
}

/* The owner cannot be running where the caller runs. */
static bool owner_is_here(struct own_mutex *mutex)
{
	uint16_t cpu = own_load_relaxed(&mutex->cpu);

	return cpu != 0 && cpu == own_cpu_mark();
}

/* As looking_can_help; an owner seen elsewhere tells more than where threads came from lately. */
static bool looking_can_help_with(struct own_mutex *mutex)
{
	uint64_t now = own_ticks();
	uint16_t cpu = own_load_relaxed(&mutex->cpu);

	if (own_unlikely(!own_self.parallel) && cpu != 0 && cpu != own_cpu_mark()) {
		own_store_relaxed(&several_cpus_seen, now);
		own_self.parallel = true;
	}
	return looking_can_help(now);
}

static uint32_t next_random(void)
{
	uint32_t value = own_self.random;

	value ^= value << 13;
	value ^= value >> 17;
	value ^= value << 5;
	own_self.random = value;
	return value;
}

static bool pays(_Atomic uint8_t *failures)
{
	return own_load_relaxed(failures) < FAILURES_MANY || next_random() % RETRY == 0;
}

static unsigned stage_failures(uint8_t spin, enum own_spin_stage stage)
{
	return spin >> stage * STAGE_BITS & STAGE_MOST;
}

static bool stage_pays(struct own_mutex *mutex, enum own_spin_stage stage)
{
	return stage_failures(own_load_relaxed(&mutex->spin), stage) < STAGE_MANY ||
	       next_random() % RETRY == 0;
}

/* A chain whose mean is the share of failures. */
void own_spin_learn_mutex(struct own_mutex *mutex, enum own_spin_stage stage, bool failed)
{
	/* relaxed, and racy: a lost update costs time only */
	uint8_t spin = own_load_relaxed(&mutex->spin);
	unsigned failures = stage_failures(spin, stage);
	unsigned one = 1u << stage * STAGE_BITS;

	if (failed && next_random() % STAGE_MOST < STAGE_MOST - failures)
		own_store_relaxed(&mutex->spin, (uint8_t)(spin + one));
	else if (!failed && failures > 0 && next_random() % STAGE_MOST < failures)
		own_store_relaxed(&mutex->spin, (uint8_t)(spin - one));
}

static bool is_held_long(struct own_mutex *mutex)
{
	return own_load_relaxed(&mutex->spin) == HELD_LONG; /* relaxed: costs time only, as above */
}

void own_spin_held_long(struct own_mutex *mutex)
{
	if (!is_held_long(mutex))
		own_store_relaxed(&mutex->spin, HELD_LONG);
}

void own_spin_learn(_Atomic uint8_t *average, bool so)
{
	/* relaxed, and racy: a lost update costs time only */
	uint8_t old = own_load_relaxed(average);
	uint8_t new = (uint8_t)(so ? old + (UINT8_MAX - old) / LEARN_STEP
				   : old - (old + LEARN_STEP - 1) / LEARN_STEP);

	if (new != old)
		own_store_relaxed(average, new);
}

void own_spin_learn_many(_Atomic uint8_t *average, unsigned not_so, unsigned so)
{
	int count = (int)(so + not_so);
	int old = own_load_relaxed(average); /* relaxed: as above */

	if (count > 0)
		own_store_relaxed(
		    average, (uint8_t)(old + ((int)so * UINT8_MAX - old * count) / (count + MANY)));
}

/* Half of `ticks` and up to as much again, so that spinners do not march in step. */
static void pause_about(uint64_t now, uint64_t ticks)
{
	own_spin_pause_for(now, ticks / 2 + next_random() % (ticks / 2 + 1));
}

/*
 * After an early look: a chain whose mean is the share that found the mutex rushed. `chance` is at
 * random, and comes from before the look: the mutex may be held by now, so there is no time to
 * lose.
 */
static void learn_rush(struct own_mutex *mutex, bool so, unsigned chance)
{
	/* relaxed, and racy: a lost update costs time only */
	uint8_t looks = own_load_relaxed(&mutex->looks);
	unsigned rushed = looks & RUSHED_MOST;

	if (so && chance % (RUSHED_MOST + 1) < RUSHED_MOST - rushed)
		own_store_relaxed(&mutex->looks, (uint8_t)(looks + 1));
	else if (!so && chance % (RUSHED_MOST + 1) < rushed)
		own_store_relaxed(&mutex->looks, (uint8_t)(looks - 1));
}

/* After a patient look. */
static void learn_patience(struct own_mutex *mutex, bool was_free, unsigned chance)
{
	uint8_t looks = own_load_relaxed(&mutex->looks);
	unsigned patience = looks / PATIENCE_ONE;

	if (!was_free && patience < PATIENCE_MOST)
		own_store_relaxed(&mutex->looks, (uint8_t)(looks + PATIENCE_ONE));
	else if (was_free && patience > 0 && chance % PATIENCE_FALLS == 0)
		own_store_relaxed(&mutex->looks, (uint8_t)(looks - PATIENCE_ONE));
}

static bool is_far(void)
{
	return own_self.travel > own_ns_to_ticks(NEAR_NS) && cpus_at_start <= 2;
}

static uint64_t taken_since(struct own_mutex *mutex, uint32_t before, uint64_t ticks)
{
	return own_spin_growth(before, own_load_relaxed(&mutex->count), ticks);
}

/*
 * An early look, timed, which tells the line's way as well: whether the mutex, taken `count` times
 * at `since`, is taken more than once while its cacheline travels RUSH times.
 */
static bool is_rushed(struct own_mutex *mutex, uint32_t count, uint64_t since)
{
	uint64_t asked = own_ticks();
	uint64_t taken = taken_since(mutex, count, asked - since);
	uint64_t seen = own_ticks_after_loads();

	own_self.travel = own_spin_travel(own_self.travel, seen - asked);
	return taken * (seen - asked) * RUSH > seen - since;
}

/* Whether the mutex was taken often since its count was `*count`, `ticks` ago. */
static bool is_passed_on(struct own_mutex *mutex, uint32_t *count, uint64_t ticks)
{
	uint64_t taken = taken_since(mutex, *count, ticks);

	*count = own_load_relaxed(&mutex->count);
	return taken >= PASSED_ON;
}

static uint64_t longer_step(uint64_t step)
{
	uint64_t most = LOOK_STEP_NS * (uint64_t)(cpus_at_start - 1);

	most = own_ns_to_ticks(most < MOST_STEP_NS ? most : MOST_STEP_NS);
	if (step >= most)
		return step;
	return 2 * step < most ? 2 * step : most;
}

static bool is_often_rushed(uint8_t looks)
{
	return (looks & RUSHED_MOST) > RUSHED_MANY;
}

static uint64_t patient_step(uint8_t looks)
{
	uint64_t cpus = (uint64_t)(cpus_at_start < PATIENT_CPUS ? cpus_at_start : PATIENT_CPUS);
	uint64_t step = own_ns_to_ticks(PATIENT_STEP_NS * cpus);
	uint64_t most = step << PATIENCE_MOST;

	if (is_far() && step < FAR_TIMES * own_self.travel)
		step = FAR_TIMES * own_self.travel;
	if (is_often_rushed(looks))
		step <<= looks / PATIENCE_ONE;
	return step < most ? step : most;
}

/*
 * On two CPUs these are left out: where sections are long, nearly all come that way. On more, the
 * thread goes on from what the mutex has, so that all who take it so count together.
 */
uint32_t own_spin_count(struct own_mutex *mutex)
{
	if (cpus_at_start > 2)
		own_self.taken = own_load_relaxed(&mutex->count) + 1;
	return own_self.taken;
}

/*
 * A look takes the cacheline from the owner, for the time that it travels. If the mutex is taken
 * again and again in that time, looking costs its owners more than it brings the spinner: who stays
 * away for a while lets them do many sections undisturbed. A thread whose condition wait ended
 * looks at once: its waker is about to unlock.
 */
static bool look_for_it(struct own_mutex *mutex, uint32_t clear)
{
	uint64_t now = own_ticks();
	uint64_t turn = own_ns_to_ticks((uint64_t)own_option(OWN_OPTION_spin_lock_ns));
	uint64_t start = now;
	uint64_t step = own_ns_to_ticks(LOOK_STEP_NS);
	uint64_t pause = step < own_self.travel ? own_self.travel : step;
	uint8_t looks = own_load_relaxed(&mutex->looks);
	uint32_t count = own_load_relaxed(&mutex->count);
	unsigned chance = next_random();
	bool early = chance % EARLY_LOOKS == 0;
	bool often_rushed = is_often_rushed(looks);
	bool patient = !own_self.after_wait && !early && (often_rushed || is_far());
	bool learns = early || patient;
	unsigned more = (looks & RUSHED_MOST) > RUSHED_FEW ? 0 : MORE_TURNS;

	if (patient)
		pause = patient_step(looks);
	while (turn > 0 && !owner_is_here(mutex)) {
		bool rushed = false;
		bool taken;

		pause_about(now, pause);
		if (learns && !patient)
			rushed = is_rushed(mutex, count, now);
		taken = own_mutex_try_take(mutex, clear);
		if (learns && patient && often_rushed)
			learn_patience(mutex, taken, chance / EARLY_LOOKS);
		else if (learns && !patient)
			learn_rush(mutex, rushed, chance / EARLY_LOOKS);
		if (taken)
			return true;
		learns = false;
		now = own_ticks();
		if (now - start >= turn) {
			if (more-- == 0 || !is_passed_on(mutex, &count, now - start))
				return false;
			start = now;
		}
		step = longer_step(step);
		if (!patient)
			pause = step;
	}
	return false;
}

/*
 * A thread whose condition wait ended does not yield to the owner on its own CPU, most often its
 * waker: that one would go on for its whole time slice, and take again what the waiter was woken
 * for. Queued, the waiter has the CPU when the mutex is released.
 */
static bool yield_for_it(struct own_mutex *mutex, uint32_t clear)
{
	long yields = own_option(OWN_OPTION_spin_yields);
	bool used;

	if (own_self.after_wait && owner_is_here(mutex))
		return false;
	while (yields-- > 0 && !is_held_long(mutex) && own_yield_once(&used)) {
		if (own_mutex_try_take(mutex, clear))
			return true;
	}
	return false;
}

bool own_spin_lock(struct own_mutex *mutex, bool designated)
{
	uint32_t clear = designated ? OWN_DESIGNATED : 0;

	if (own_mutex_try_take(mutex, clear))
		return true;
	if (!looking_can_help_with(mutex) || own_self.realtime ||
	    !stage_pays(mutex, OWN_SPIN_FIRST))
		return false;
	if (!look_for_it(mutex, clear) && !yield_for_it(mutex, clear))
		return false;
	own_spin_learn_mutex(mutex, OWN_SPIN_FIRST, false);
	return true;
}

/* Looks at the word for a while. True: it has changed. */
static bool look(_Atomic uint32_t *word, uint32_t value, uint64_t ticks)
{
	uint64_t start = own_ticks();

	do {
		/* relaxed: the caller acquires */
		if (own_load_relaxed(word) != value)
			return true;
		own_pause();
	} while (own_ticks() - start < ticks);
	return own_load_relaxed(word) != value;
}

/*
 * Spins only while nobody else wants the CPU, which a yield now and then finds out; once others
 * run, a few yields are all.
 */
bool own_spin_on_word(_Atomic uint32_t *word, uint32_t value, struct own_park *park)
{
	uint64_t start = own_ticks();
	uint64_t chunk = own_ns_to_ticks(FIRST_CHUNK_NS);
	unsigned yields = 0;
	bool used = false;

	park->spun = OWN_SPUN_NOT;
	if (park->spin_ticks == 0)
		return look(word, value, park->last_look_ticks);
	park->spun = OWN_SPUN_ALONE;
	do {
		if (look(word, value, chunk))
			return true;
		if (!own_yield_once(&used))
			return look(word, value, park->crowded_look_ticks);
		if (own_load_relaxed(word) != value)
			return true;
		if (used)
			park->spun = OWN_SPUN_SHARED;
		if (used && ++yields >= park->yields)
			return look(word, value, park->last_look_ticks);
		chunk = own_ns_to_ticks(CHUNK_NS);
	} while (own_ticks() - start < park->spin_ticks);
	return false;
}

/* Plans spinning where it can help and pays, and none elsewhere. */
static bool plan(struct own_park *park, bool spins, enum own_option budget)
{
	*park = (struct own_park){.deadline = park->deadline, .record = park->record};
	if (!spins)
		return false;
	park->spin_ticks = own_ns_to_ticks((uint64_t)own_option(budget));
	park->yields = (unsigned)own_option(OWN_OPTION_wait_yields);
	return true;
}

void own_spin_plan_mutex(struct own_park *park, struct own_mutex *mutex)
{
	/* An owner that is here runs when this thread does not: park at once. */
	bool can_help = looking_can_help_with(mutex) && !owner_is_here(mutex);
	bool pays_here = can_help && stage_pays(mutex, OWN_SPIN_QUEUED);
	bool spins = plan(park, pays_here, OWN_OPTION_spin_queue_ns);

	if (!can_help)
		return;
	park->last_look_ticks = own_ns_to_ticks(spins ? LAST_LOOK_MUTEX_NS : BRIEF_LOOK_MUTEX_NS);
	park->crowded_look_ticks = park->spin_ticks;
	if (own_self.realtime)
		/* The last look is all: an owner on another CPU often unlocks while the kernel
		 * prepares the wait. */
		park->spin_ticks = 0;
}

void own_spin_plan_cond(struct own_park *park, _Atomic uint8_t *failures)
{
	bool spins = spinning_can_help(own_ticks()) && pays(failures);

	if (plan(park, spins, OWN_OPTION_spin_cond_ns))
		park->crowded_look_ticks = own_ns_to_ticks(CROWDED_LOOK_COND_NS);
}

void own_spin_for_queue(unsigned round)
{
	if (round < 8 && spinning_can_help(own_ticks())) {
		for (unsigned i = 0; i < 1u << round; i++)
			own_pause();
	} else if (round < 16 && !own_self.realtime) {
		own_yield();
	} else {
		own_sleep_ns(50000);
	}
}
