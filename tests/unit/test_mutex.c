/* The mutex's slow paths, one step at a time over a fake futex: no thread but this one exists. */
#include "core/mutex.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "core/thread_life.h"
#include "stats/locks.h"
#include "fake_futex.h"

static struct own_mutex mutex;
static struct own_deadline soon; /* the fake futex lets it pass before a time-out */

static int setup(void **state)
{
	(void)state;
	memset(&mutex, 0, sizeof(mutex));
	own_option_values[OWN_OPTION_spin] = 0;
	own_option_values[OWN_OPTION_handoff_us] = 1000000; /* nobody gets that old */
	fake_futex_reset();
	fake_futex_soon(&soon);
	own_stats_reset();
	return 0;
}

static uint64_t counted(enum own_wait_outcome outcome)
{
	struct own_counters sum;

	memset(&sum, 0, sizeof(sum));
	own_counters_sum(own_stats_segment(), &sum);
	return sum.waits[outcome].count;
}

static void lock_as_stranger(void)
{
	assert_true(own_mutex_try_fast(&mutex, false));
}

static void unlock(void *unused)
{
	(void)unused;
	own_mutex_clear_owner(&mutex);
	if (!own_mutex_unlock_fast(&mutex, false))
		own_mutex_unlock_slow(&mutex);
}

static uint32_t flags(void)
{
	return own_word_flags(own_load_relaxed(&mutex.word), own_generation_now());
}

static int lock_slow(const struct own_deadline *deadline)
{
	return own_mutex_lock_slow(&mutex, deadline, OWN_CALLER());
}

static struct own_record_sums recorded(void)
{
	struct own_record_sums sums;

	own_lock_sums(own_stats_segment(), (uintptr_t)&mutex, &sums);
	return sums;
}

static void a_free_mutex_needs_no_kernel(void **state)
{
	(void)state;
	assert_int_equal(lock_slow(NULL), 0);
	assert_int_equal(flags(), OWN_LOCKED);
	assert_int_equal(own_load_relaxed(&mutex.owner), own_thread_id());
	unlock(NULL);
	assert_int_equal(own_load_relaxed(&mutex.word), 0);
	assert_int_equal(fake_futex_waits() + fake_futex_wakes(), 0);
}

static bool try_normal(bool single, int32_t *kind)
{
	*kind = -5;
	return own_mutex_try_normal(&mutex, single, kind);
}

static void a_free_normal_mutex_is_taken_with_its_kind(void **state)
{
	int32_t kind;

	(void)state;
	assert_int_equal(offsetof(struct own_mutex, word), offsetof(struct own_mutex, kind) + 4);
	for (int single = 0; single < 2; single++) {
		assert_true(try_normal(single, &kind));
		assert_int_equal(own_load_relaxed(&mutex.word), OWN_LOCKED);
		assert_int_equal(mutex.kind, 0);
		assert_false(try_normal(single, &kind)); /* by the owner as by any other */
		assert_int_equal(kind, 0);
		assert_int_equal(own_load_relaxed(&mutex.word), OWN_LOCKED);
		unlock(NULL);
		assert_int_equal(own_load_relaxed(&mutex.kind_and_word), 0);
	}
}

static void nothing_else_is_taken_with_its_kind(void **state)
{
	static const int32_t kinds[] = {1, 2, 3, 16, 32, 128, 512, -1, INT32_MIN};
	int32_t kind;

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(kinds) / sizeof(*kinds); i++) {
		mutex.kind = kinds[i / 2];
		assert_false(try_normal(i % 2, &kind));
		assert_int_equal(kind, mutex.kind);
		assert_int_equal(mutex.kind, kinds[i / 2]);
		assert_int_equal(own_load_relaxed(&mutex.word), 0);
	}
	mutex.kind = 0;
	for (uint32_t bit = 1; bit != 0; bit <<= 1) { /* waiters, the queue, a generation */
		own_store_relaxed(&mutex.word, bit);
		assert_false(try_normal(bit % 3 == 1, &kind));
		assert_int_equal(kind, 0);
		assert_int_equal(own_load_relaxed(&mutex.word), bit);
	}
}

/* Its line is not loaded from: what the owner notes does not come from it. */
static void who_takes_a_mutex_notes_a_count_of_its_own(void **state)
{
	uint32_t before = own_self.taken;

	(void)state;
	own_store_relaxed(&mutex.count, before + 1000);
	own_mutex_taken(&mutex);
	assert_int_equal(own_load_relaxed(&mutex.count), before + 1);
	assert_int_equal(own_self.taken, before + 1);
	assert_int_equal(own_load_relaxed(&mutex.owner), own_thread_id());
}

static void what_was_held_is_forgotten_by_its_address(void **state)
{
	struct own_mutex another;

	(void)state;
	own_self.held = &mutex;
	own_mutex_forget_held(&another);
	assert_ptr_equal(own_self.held, &mutex);
	own_mutex_forget_held(&mutex);
	assert_null(own_self.held);
}

static void a_parked_waiter_is_woken_once_and_owns(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock});
	assert_int_equal(lock_slow(NULL), 0);
	assert_int_equal(fake_futex_wakes(), 1);
	assert_int_equal(flags(), OWN_LOCKED);
	assert_true(own_queue_is_empty(&mutex.queue));
	assert_int_equal(counted(OWN_WAIT_WOKEN), 1);
}

static void it_waits_on_its_parker_not_on_the_lock(void **state)
{
	const char *word;

	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock});
	assert_int_equal(lock_slow(NULL), 0);
	word = fake_futex_word(0);
	assert_ptr_equal(word, &own_self.parker->word);
	assert_int_equal((uintptr_t)word % OWN_CACHELINE_PAIR, 0);
}

static void a_release_before_the_compare_is_a_mismatch(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock, .before = true});
	assert_int_equal(lock_slow(NULL), 0);
	assert_int_equal(counted(OWN_WAIT_MISMATCH), 1);
	assert_int_equal(counted(OWN_WAIT_WOKEN), 0);
	assert_int_equal(flags(), OWN_LOCKED);
}

static void signals_and_spurious_wakes_go_on_waiting(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.result = -EINTR});
	fake_futex_expect((struct fake_wait){.result = 0});
	fake_futex_expect((struct fake_wait){.act = unlock});
	assert_int_equal(lock_slow(NULL), 0);
	assert_int_equal(fake_futex_waits(), 3);
	assert_int_equal(counted(OWN_WAIT_INTERRUPTED), 1);
}

static void a_timed_out_waiter_leaves_nothing_behind(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.result = -ETIMEDOUT});
	assert_int_equal(lock_slow(&soon), ETIMEDOUT);
	assert_int_equal(own_load_relaxed(&mutex.word), OWN_LOCKED);
	assert_int_equal(counted(OWN_WAIT_TIMEOUT), 1);
	unlock(NULL);
	assert_int_equal(own_load_relaxed(&mutex.word), 0);
	assert_int_equal(fake_futex_wakes(), 0);
}

static void a_deadline_that_has_passed_needs_no_kernel(void **state)
{
	const struct own_deadline long_ago = {.clock = CLOCK_MONOTONIC};

	(void)state;
	lock_as_stranger();
	assert_int_equal(lock_slow(&long_ago), ETIMEDOUT);
	assert_int_equal(fake_futex_waits(), 0);
	assert_int_equal(recorded().queued, 1);
	assert_int_equal(recorded().spun, 1);
	assert_int_equal(own_load_relaxed(&mutex.word), OWN_LOCKED);
}

static void a_wake_that_beats_the_timeout_is_not_lost(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock, .result = -ETIMEDOUT});
	assert_int_equal(lock_slow(&soon), 0);
	assert_int_equal(flags(), OWN_LOCKED);
}

/* Popped as the designated waiter, but somebody else has the mutex again and the time is up. */
static void unlock_and_barge(void *unused)
{
	unlock(unused);
	assert_true(own_mutex_trylock(&mutex));
}

static void a_late_designated_waiter_passes_it_on(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock_and_barge, .result = -ETIMEDOUT});
	assert_int_equal(lock_slow(&soon), ETIMEDOUT);
	assert_int_equal(fake_futex_waits(), 1);		     /* it lost, and was late */
	assert_int_equal(own_load_relaxed(&mutex.word), OWN_LOCKED); /* not DESIGNATED */
}

static void a_designated_waiter_that_loses_queues_first(void **state)
{
	(void)state;
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock_and_barge});
	fake_futex_expect((struct fake_wait){.act = unlock});
	assert_int_equal(lock_slow(NULL), 0);
	assert_int_equal(fake_futex_wakes(), 2);
	assert_int_equal(flags(), OWN_LOCKED);
	assert_int_equal(recorded().queued, 1); /* once, in two turns */
	assert_int_equal(recorded().spun, 0);
}

/* Waiters for the queue, without threads: as a broadcast requeues them. */
static struct own_parker waiters[3];

static void requeue_waiters(unsigned count)
{
	memset(waiters, 0, sizeof(waiters));
	for (unsigned i = 0; i < count; i++) {
		own_parker_prepare(&waiters[i]);
		own_store_relaxed(&waiters[i].word, OWN_PARKER_PARKED);
		waiters[i].next = i + 1 < count ? &waiters[i + 1] : NULL;
	}
	own_mutex_requeue(&mutex, &waiters[0], own_generation_now());
}

/*
 * Steps whose outcome depends on ages, with the mutex locked. If the thread lost the CPU on the
 * way, what came out means nothing: then they are done anew.
 */
static void in_time(uint64_t most_ns, void (*steps)(void))
{
	for (int tries = 0; tries < 1000; tries++) {
		uint64_t start;

		memset(&mutex, 0, sizeof(mutex));
		fake_futex_reset();
		own_option_values[OWN_OPTION_handoff_us] = 1000;
		lock_as_stranger();
		start = own_ticks();
		steps();
		if (own_ticks_to_ns(own_ticks() - start) < most_ns)
			return;
	}
	skip(); /* a machine that is never quick enough */
}

static bool notified(unsigned number)
{
	return own_load_relaxed(&waiters[number].word) == OWN_PARKER_NOTIFIED;
}

static bool second_notified_between;

static void unlock_twice(void)
{
	requeue_waiters(3);
	own_store_relaxed(&mutex.handed, own_coarse(own_ticks()));
	unlock(NULL);
	second_notified_between = notified(1);
	assert_true(own_mutex_trylock(&mutex));
	unlock(NULL);
}

/* The first one is still on its way when the next owner unlocks. */
static void each_unlock_wakes_one(void **state)
{
	(void)state;
	in_time(1000000, unlock_twice); /* before anybody is old */
	assert_false(second_notified_between);
	assert_true(notified(0) && notified(1) && !notified(2));
	assert_int_equal(flags(), OWN_WAITERS | OWN_DESIGNATED);
	assert_int_equal(fake_futex_wakes(), 2);
}

/* Unlocks for two waiters, of which the second one queued on another CPU. */
static void unlock_here_and_elsewhere(uint64_t first_waited_ns)
{
	requeue_waiters(2);
	waiters[0].since = own_ticks() - own_ns_to_ticks(first_waited_ns);
	waiters[0].cpu = own_cpu_mark();
	waiters[1].cpu = (uint16_t)(own_cpu_mark() + 1);
	own_store_relaxed(&mutex.handed, own_coarse(own_ticks()));
	unlock(NULL);
	if (own_cpu_mark() != waiters[0].cpu || own_cpu_mark() == 0)
		skip(); /* moved meanwhile, or nobody knows where it is */
}

static void unlock_to_the_young(void)
{
	unlock_here_and_elsewhere(0);
}

static void unlock_to_the_old(void)
{
	unlock_here_and_elsewhere(100000000);
}

static void who_queued_elsewhere_is_woken_before_the_young(void **state)
{
	(void)state;
	in_time(1000000, unlock_to_the_young);
	assert_true(!notified(0) && notified(1));
}

static void who_has_waited_long_is_not_passed_over(void **state)
{
	(void)state;
	in_time(1000000, unlock_to_the_old);
	assert_true(notified(0) && !notified(1));
}

static void requeueing_to_a_free_mutex_wakes_one(void **state)
{
	(void)state;
	requeue_waiters(2);
	assert_true(notified(0) && !notified(1));
	assert_int_equal(flags(), OWN_WAITERS | OWN_DESIGNATED);
}

static void age(unsigned number, uint64_t ns)
{
	waiters[number].since = own_ticks() - own_ns_to_ticks(ns);
	own_store_relaxed(&mutex.handed, (uint8_t)(own_coarse(own_ticks()) - 100));
}

static uint8_t spin_failures_behind(uint64_t since)
{
	memset(&mutex, 0, sizeof(mutex));
	fake_futex_reset();
	lock_as_stranger();
	requeue_waiters(1);
	waiters[0].since = since;
	fake_futex_expect((struct fake_wait){.result = -ETIMEDOUT});
	assert_int_equal(lock_slow(&soon), ETIMEDOUT);
	return own_load_relaxed(&mutex.spin);
}

static void nobody_spins_behind_a_long_sleeper(void **state)
{
	(void)state;
	assert_int_equal(spin_failures_behind(own_ticks() - own_ns_to_ticks(UINT64_C(100000000))),
			 UINT8_MAX);
	/* Ten seconds ahead of now: however slow the machine, that is not long ago. */
	assert_int_equal(spin_failures_behind(own_ticks() + own_ns_to_ticks(UINT64_C(10000000000))),
			 0);
}

static void unlock_to_one_that_is_awake(void)
{
	requeue_waiters(2);
	own_store_relaxed(&waiters[0].word, OWN_PARKER_SPINNING);
	waiters[0].tid = 42;
	age(0, 2000000);
	unlock(NULL);
}

static void an_old_waiter_that_is_awake_gets_the_mutex(void **state)
{
	(void)state;
	in_time(1000000, unlock_to_one_that_is_awake);
	assert_true(notified(0) && waiters[0].granted);
	assert_int_equal(flags(), OWN_LOCKED | OWN_WAITERS);
	assert_int_equal(own_load_relaxed(&mutex.owner), 42);
	assert_int_equal(fake_futex_wakes(), 0);
}

static void unlock_to_an_old_sleeper(void)
{
	requeue_waiters(2);
	age(0, 2000000);
	unlock(NULL);
}

static void an_old_waiter_that_sleeps_is_woken_first(void **state)
{
	(void)state;
	in_time(1000000, unlock_to_an_old_sleeper);
	assert_true(notified(0) && !waiters[0].granted);
	assert_int_equal(flags(), OWN_WAITERS | OWN_DESIGNATED);
}

static void unlock_to_a_very_old_sleeper(void)
{
	requeue_waiters(2);
	age(0, 200000000);
	unlock(NULL);
}

static void a_very_old_waiter_gets_the_mutex_asleep(void **state)
{
	(void)state;
	in_time(1000000, unlock_to_a_very_old_sleeper);
	assert_true(notified(0) && waiters[0].granted);
	assert_int_equal(flags(), OWN_LOCKED | OWN_WAITERS);
}

static void a_fork_child_forgets_the_parents_queue(void **state)
{
	(void)state;
	lock_as_stranger();
	requeue_waiters(2);
	own_generation += UINT32_C(1) << OWN_GENERATION_SHIFT; /* as in a child */
	assert_int_equal(flags(), OWN_LOCKED);
	unlock(NULL);
	assert_int_equal(own_load_relaxed(&mutex.word), 0);
	assert_true(!notified(0) && !notified(1));
	/* The old pointers are still there: a new queue must not start with them. */
	lock_as_stranger();
	fake_futex_expect((struct fake_wait){.act = unlock});
	assert_int_equal(lock_slow(NULL), 0);
	assert_true(own_queue_is_empty(&mutex.queue));
	assert_true(!notified(0) && !notified(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(a_free_mutex_needs_no_kernel, setup),
	    cmocka_unit_test_setup(a_free_normal_mutex_is_taken_with_its_kind, setup),
	    cmocka_unit_test_setup(nothing_else_is_taken_with_its_kind, setup),
	    cmocka_unit_test_setup(who_takes_a_mutex_notes_a_count_of_its_own, setup),
	    cmocka_unit_test_setup(what_was_held_is_forgotten_by_its_address, setup),
	    cmocka_unit_test_setup(a_parked_waiter_is_woken_once_and_owns, setup),
	    cmocka_unit_test_setup(it_waits_on_its_parker_not_on_the_lock, setup),
	    cmocka_unit_test_setup(a_release_before_the_compare_is_a_mismatch, setup),
	    cmocka_unit_test_setup(signals_and_spurious_wakes_go_on_waiting, setup),
	    cmocka_unit_test_setup(a_timed_out_waiter_leaves_nothing_behind, setup),
	    cmocka_unit_test_setup(a_deadline_that_has_passed_needs_no_kernel, setup),
	    cmocka_unit_test_setup(a_wake_that_beats_the_timeout_is_not_lost, setup),
	    cmocka_unit_test_setup(a_late_designated_waiter_passes_it_on, setup),
	    cmocka_unit_test_setup(a_designated_waiter_that_loses_queues_first, setup),
	    cmocka_unit_test_setup(each_unlock_wakes_one, setup),
	    cmocka_unit_test_setup(who_queued_elsewhere_is_woken_before_the_young, setup),
	    cmocka_unit_test_setup(who_has_waited_long_is_not_passed_over, setup),
	    cmocka_unit_test_setup(requeueing_to_a_free_mutex_wakes_one, setup),
	    cmocka_unit_test_setup(nobody_spins_behind_a_long_sleeper, setup),
	    cmocka_unit_test_setup(an_old_waiter_that_is_awake_gets_the_mutex, setup),
	    cmocka_unit_test_setup(an_old_waiter_that_sleeps_is_woken_first, setup),
	    cmocka_unit_test_setup(a_very_old_waiter_gets_the_mutex_asleep, setup),
	    cmocka_unit_test_setup(a_fork_child_forgets_the_parents_queue, setup),
	};

	return cmocka_run_group_tests_name("mutex", tests, NULL, NULL);
}
