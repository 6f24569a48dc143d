/* The condition variable, one step at a time over a fake futex. */
#include "core/cond.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "core/mutex.h"
#include "core/thread_life.h"
#include "fake_futex.h"

static struct own_cond cond;
static struct own_mutex mutex;
static int unlock_result;
static unsigned cancel_tests;
static struct own_deadline soon; /* the fake futex lets it pass before a time-out */

static int setup(void **state)
{
	(void)state;
	memset(&cond, 0, sizeof(cond));
	memset(&mutex, 0, sizeof(mutex));
	unlock_result = 0;
	cancel_tests = 0;
	own_option_values[OWN_OPTION_spin] = 0;
	own_option_values[OWN_OPTION_broadcast_wakes] = 64;
	fake_futex_reset();
	fake_futex_soon(&soon);
	return 0;
}

static int unlock(void *object)
{
	struct own_mutex *held = object;

	if (unlock_result == 0 && !own_mutex_unlock_fast(held, false))
		own_mutex_unlock_slow(held);
	return unlock_result;
}

static int lock(void *object, const void *site)
{
	struct own_mutex *wanted = object;

	if (own_mutex_try_fast(wanted, false))
		return 0;
	return own_mutex_lock_slow(wanted, NULL, site);
}

static void locked(void *object)
{
	(void)object;
}

static void test_cancel(void)
{
	cancel_tests++;
}

static const struct own_relock relock = {
    .object = &mutex,
    .requeue = &mutex,
    .unlock = unlock,
    .lock = lock,
    .locked = locked,
    .test_cancel = test_cancel,
};

static int wait_until(const struct own_deadline *deadline)
{
	int result;

	assert_int_equal(lock(&mutex, NULL), 0);
	result = own_cond_wait(&cond, &relock, deadline, OWN_CALLER());
	assert_true(own_load_relaxed(&mutex.word) & OWN_LOCKED || unlock_result != 0);
	return result;
}

static void do_signal(void *unused)
{
	(void)unused;
	own_cond_signal(&cond);
}

static void do_broadcast(void *unused)
{
	(void)unused;
	own_cond_broadcast(&cond);
}

static void a_signal_to_nobody_costs_nothing(void **state)
{
	(void)state;
	own_cond_signal(&cond);
	own_cond_broadcast(&cond);
	own_cond_destroy(&cond);
	assert_int_equal(own_load_relaxed(&cond.word), 0);
	assert_int_equal(fake_futex_wakes(), 0);
}

static void a_signal_wakes_the_waiter(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = do_signal});
	assert_int_equal(wait_until(NULL), 0);
	assert_int_equal(fake_futex_wakes(), 1);
	assert_int_equal(own_load_relaxed(&cond.word), 0);
}

static void a_signal_before_the_compare_is_not_lost(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = do_signal, .before = true});
	assert_int_equal(wait_until(NULL), 0);
}

static void a_timeout_unlinks_the_waiter(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.result = -ETIMEDOUT});
	assert_int_equal(wait_until(&soon), ETIMEDOUT);
	assert_int_equal(own_load_relaxed(&cond.word), 0);
	own_cond_destroy(&cond);
}

static void a_signal_that_beats_the_timeout_is_taken(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = do_broadcast, .result = -ETIMEDOUT});
	assert_int_equal(wait_until(&soon), 0);
}

/* pthread_cancel from another thread, as the waiter sees it. */
static void poke(void *unused)
{
	(void)unused;
	own_parker_poke(own_thread_handle());
}

static void a_poke_ends_the_wait_and_looks_for_the_cancellation(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = poke});
	assert_int_equal(wait_until(NULL), 0);
	assert_int_equal(cancel_tests, 2); /* before the wait and after it */
	assert_int_equal(own_load_relaxed(&cond.word), 0);
}

static void signal_then_poke(void *unused)
{
	do_signal(unused);
	poke(unused);
}

static void a_signal_that_beats_the_poke_is_not_eaten(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = signal_then_poke});
	assert_int_equal(wait_until(NULL), 0);
	assert_int_equal(cancel_tests, 1); /* the cancellation stays pending */
}

static void poke_then_signal(void *unused)
{
	poke(unused);
	do_signal(unused);
}

static void a_signal_after_the_poke_is_taken_too(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = poke_then_signal});
	assert_int_equal(wait_until(NULL), 0);
	assert_int_equal(cancel_tests, 1);
}

static void a_mutex_that_is_not_held_ends_the_wait_at_once(void **state)
{
	(void)state;
	unlock_result = EPERM;
	assert_int_equal(wait_until(NULL), EPERM);
	assert_int_equal(fake_futex_waits(), 0);
	assert_int_equal(own_load_relaxed(&cond.word), 0);
}

/* Another thread holds the mutex, and broadcasts with no wake allowed: the waiter is requeued. */
static void broadcast_holding(void *unused)
{
	(void)unused;
	own_option_values[OWN_OPTION_broadcast_wakes] = -1;
	assert_true(own_mutex_trylock(&mutex));
	own_cond_broadcast(&cond);
	assert_int_equal(fake_futex_wakes(), 0);
	assert_true(own_load_relaxed(&mutex.word) & OWN_WAITERS);
	assert_int_equal(own_load_relaxed(&cond.word), 0);
	unlock(&mutex);
}

static void a_requeued_waiter_is_woken_by_the_unlock(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = broadcast_holding});
	assert_int_equal(wait_until(NULL), 0);
	assert_int_equal(fake_futex_wakes(), 1);
	assert_int_equal(own_word_flags(own_load_relaxed(&mutex.word), own_generation_now()),
			 OWN_LOCKED);
}

static void a_requeued_waiter_cannot_time_out(void **state)
{
	(void)state;
	fake_futex_expect((struct fake_wait){.act = broadcast_holding, .result = -ETIMEDOUT});
	assert_int_equal(wait_until(&soon), 0);
}

static void a_fork_child_forgets_the_parents_waiters(void **state)
{
	struct own_parker stranger;

	(void)state;
	memset(&stranger, 0, sizeof(stranger));
	own_store_relaxed(&stranger.claim, OWN_CLAIM_COND);
	own_queue_push_tail(&cond.queue, &stranger);
	own_store_relaxed(&cond.word, own_word_make(OWN_WAITERS, own_generation_now()));
	own_generation += UINT32_C(1) << OWN_GENERATION_SHIFT; /* as in a child */
	own_cond_signal(&cond);
	assert_int_equal(own_load_relaxed(&stranger.claim), OWN_CLAIM_COND);
	own_cond_destroy(&cond);
	fake_futex_expect((struct fake_wait){.act = do_signal});
	assert_int_equal(wait_until(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(a_signal_to_nobody_costs_nothing, setup),
	    cmocka_unit_test_setup(a_signal_wakes_the_waiter, setup),
	    cmocka_unit_test_setup(a_signal_before_the_compare_is_not_lost, setup),
	    cmocka_unit_test_setup(a_timeout_unlinks_the_waiter, setup),
	    cmocka_unit_test_setup(a_signal_that_beats_the_timeout_is_taken, setup),
	    cmocka_unit_test_setup(a_poke_ends_the_wait_and_looks_for_the_cancellation, setup),
	    cmocka_unit_test_setup(a_signal_that_beats_the_poke_is_not_eaten, setup),
	    cmocka_unit_test_setup(a_signal_after_the_poke_is_taken_too, setup),
	    cmocka_unit_test_setup(a_mutex_that_is_not_held_ends_the_wait_at_once, setup),
	    cmocka_unit_test_setup(a_requeued_waiter_is_woken_by_the_unlock, setup),
	    cmocka_unit_test_setup(a_requeued_waiter_cannot_time_out, setup),
	    cmocka_unit_test_setup(a_fork_child_forgets_the_parents_waiters, setup),
	};

	return cmocka_run_group_tests_name("cond", tests, NULL, NULL);
}
