/*
 * The program's own allocator, built on a mutex as many are, must never be entered from a lock
 * call: it would wait for itself. Contended calls, time-outs, first calls of new threads, and all
 * kinds.
 */
#include "support/kinds.h"
#include "support/threads.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static pthread_mutex_t allocator_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int in_lock_call;
static atomic_long allocations;

static void enter(void)
{
	static const char message[] = "the allocator was called from a lock call\n";

	if (in_lock_call) {
		(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
		_exit(1);
	}
	in_lock_call = 1;
	pthread_mutex_lock(&allocator_mutex);
	in_lock_call = 0;
	atomic_fetch_add(&allocations, 1);
}

static void leave(void)
{
	in_lock_call = 1;
	pthread_mutex_unlock(&allocator_mutex);
	in_lock_call = 0;
}

void *malloc(size_t size)
{
	void *memory;

	enter();
	memory = __libc_malloc(size);
	leave();
	return memory;
}

void *calloc(size_t count, size_t size)
{
	void *memory;

	enter();
	memory = __libc_calloc(count, size);
	leave();
	return memory;
}

void *realloc(void *old, size_t size)
{
	void *memory;

	enter();
	memory = __libc_realloc(old, size);
	leave();
	return memory;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	void *memory;

	enter();
	memory = __libc_memalign(alignment, size);
	leave();
	return memory;
}

void free(void *memory)
{
	enter();
	__libc_free(memory);
	leave();
}

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

#define LOCK_CALL(call) (in_lock_call = 1, result = (call), in_lock_call = 0, result)

static void *use_locks(void *unused)
{
	int result;

	(void)unused;
	for (int i = 0; i < 50; i++) {
		struct timespec soon = check_after_ms(CLOCK_REALTIME, 0);
		void *memory = malloc(100);

		CHECK(memory);
		free(memory);
		CHECK_OK(LOCK_CALL(pthread_mutex_lock(&mutex)));
		(void)LOCK_CALL(pthread_cond_timedwait(&cond, &mutex, &soon));
		if (i % 16 == 0)
			check_sleep_ms(1);
		CHECK_OK(LOCK_CALL(pthread_cond_signal(&cond)));
		CHECK_OK(LOCK_CALL(pthread_mutex_unlock(&mutex)));
		CHECK_OK(LOCK_CALL(pthread_cond_broadcast(&cond)));
		if (LOCK_CALL(pthread_mutex_timedlock(&mutex, &soon)) == 0)
			CHECK_OK(LOCK_CALL(pthread_mutex_unlock(&mutex)));
	}
	return NULL;
}

int main(void)
{
	struct check_thread threads[6];
	int result;

	check_begin();
	for (size_t k = 0; k < CHECK_KINDS; k++) {
		check_kind_announce(&check_kinds[k]);
		check_kind_init(&check_kinds[k], &mutex);
		for (int i = 0; i < 6; i++)
			check_start(&threads[i], use_locks, NULL);
		for (int i = 0; i < 6; i++)
			check_join(&threads[i]);
		CHECK_OK(LOCK_CALL(pthread_mutex_destroy(&mutex)));
	}
	CHECK_OK(LOCK_CALL(pthread_cond_destroy(&cond)));
	CHECK(atomic_load(&allocations) > 1000);
	return 0;
}
