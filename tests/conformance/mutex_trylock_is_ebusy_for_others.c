/* trylock takes a free mutex of any kind and says EBUSY at once while another thread holds it. */
#include "support/kinds.h"
#include "support/threads.h"

static pthread_mutex_t mutex;
static int expected;

static void *try_lock(void *unused)
{
	(void)unused;
	CHECK_ERR(pthread_mutex_trylock(&mutex), expected);
	if (!expected)
		CHECK_OK(pthread_mutex_unlock(&mutex));
	return NULL;
}

static void check_other(int error)
{
	struct check_thread thread;

	expected = error;
	check_start(&thread, try_lock, NULL);
	check_join(&thread);
}

static int error_for_owner(const struct check_kind *kind)
{
	if (kind->type == PTHREAD_MUTEX_RECURSIVE)
		return 0;
	return kind->robust && kind->type == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		int own = error_for_owner(&check_kinds[k]);

		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		check_other(0);
		CHECK_OK(pthread_mutex_trylock(&mutex));
		CHECK_ERR(pthread_mutex_trylock(&mutex), own);
		check_other(EBUSY);
		CHECK_OK(pthread_mutex_unlock(&mutex));
		if (!own)
			CHECK_OK(pthread_mutex_unlock(&mutex));
		check_other(0);
		CHECK_OK(pthread_mutex_destroy(&mutex));
	}
	return 0;
}
