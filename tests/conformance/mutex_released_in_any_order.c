/* Two mutexes of any kinds that one thread holds may be released in either order. */
#include "support/kinds.h"
#include "support/threads.h"

#include <stdbool.h>

static pthread_mutex_t mutexes[2];

static void *try(void *mutex)
{
	if (pthread_mutex_trylock(mutex) != 0)
		return NULL;
	CHECK_OK(pthread_mutex_unlock(mutex));
	return mutex;
}

static bool is_free(pthread_mutex_t *mutex)
{
	struct check_thread thread;

	check_start(&thread, try, mutex);
	return check_join(&thread) == mutex;
}

static void release_one_by_one(int first)
{
	CHECK_OK(pthread_mutex_lock(&mutexes[0]));
	CHECK_OK(pthread_mutex_lock(&mutexes[1]));
	CHECK(!is_free(&mutexes[0]) && !is_free(&mutexes[1]));
	CHECK_OK(pthread_mutex_unlock(&mutexes[first]));
	CHECK(is_free(&mutexes[first]) && !is_free(&mutexes[!first]));
	CHECK_OK(pthread_mutex_unlock(&mutexes[!first]));
	CHECK(is_free(&mutexes[0]) && is_free(&mutexes[1]));
}

int main(void)
{
	check_begin();
	for (size_t k = 0; k < CHECK_KINDS * CHECK_KINDS; k++) {
		for (int i = 0; i < 2; i++) {
			const struct check_kind *kind =
			    &check_kinds[i == 0 ? k / CHECK_KINDS : k % CHECK_KINDS];

			check_kind_announce(kind);
			check_kind_init(kind, &mutexes[i]);
		}
		for (int first = 0; first < 2; first++)
			release_one_by_one(first);
	}
	return 0;
}
