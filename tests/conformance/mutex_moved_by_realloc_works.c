/* A growing array of mutexes (contended between its moves) works, though nobody calls init again.
 */
#include "support/kinds.h"
#include "support/threads.h"

static void *use(void *mutex)
{
	for (int i = 0; i < 500; i++) {
		CHECK_OK(pthread_mutex_lock(mutex));
		CHECK_OK(pthread_mutex_unlock(mutex));
	}
	return NULL;
}

int main(void)
{
	pthread_mutex_t *mutexes = NULL;
	size_t used = 0, moves = 0;

	check_begin();
	for (size_t count = 1; count <= 1 << 16; count *= 4) {
		struct check_thread threads[4];
		pthread_mutex_t *grown = malloc(count * sizeof(*mutexes));

		/* Moves by hand: realloc alone might extend in place. */
		CHECK(grown);
		if (used) {
			memcpy(grown, mutexes, used * sizeof(*mutexes));
			memset(mutexes, 0xff, used * sizeof(*mutexes));
		}
		free(mutexes);
		mutexes = realloc(grown, count * sizeof(*mutexes));
		CHECK(mutexes);
		moves++;
		for (; used < count; used++)
			check_kind_init(&check_kinds[used % CHECK_OWN_KINDS], &mutexes[used]);
		for (int i = 0; i < 4; i++)
			check_start(&threads[i], use, &mutexes[i % 2 ? 0 : used / 2]);
		for (int i = 0; i < 4; i++)
			check_join(&threads[i]);
		for (size_t i = 0; i < used; i++) {
			CHECK_OK(pthread_mutex_trylock(&mutexes[i]));
			CHECK_OK(pthread_mutex_unlock(&mutexes[i]));
		}
	}
	CHECK_EQ(moves, 9);
	free(mutexes);
	return 0;
}
