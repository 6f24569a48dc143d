/*
 * No memory can be had while hundreds of threads wait: no lock call fails, none waits for ever,
 * deadlines and cancellation work. `no_memory rlimit` sets RLIMIT_AS to what is in use;
 * `no_memory seccomp` lets every mmap, mremap and brk fail.
 */
#include "support/threads.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* More than the parkers that the runtime has without asking for memory. */
#define THREADS 400
#define TURNS	20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int round_number, waiting, cleaned;
static long count;
static atomic_int go, timed_out;

static void refuse_by_limit(void)
{
	struct rlimit limit = {1, RLIM_INFINITY}; /* what is mapped stays */

	CHECK_SYS(setrlimit(RLIMIT_AS, &limit));
}

static void refuse_by_filter(void)
{
#define REFUSE(call)                                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),                                         \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM)
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    REFUSE(SYS_mmap),
	    REFUSE(SYS_mremap),
	    REFUSE(SYS_brk),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	CHECK_SYS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		check_skip("no seccomp filters: %s", strerror(errno));
}

static void wait_for_round(int number)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	waiting++;
	while (round_number < number)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	waiting--;
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *work(void *unused)
{
	struct timespec soon;

	(void)unused;
	while (!atomic_load(&go))
		check_sleep_ms(1);
	for (int i = 0; i < TURNS; i++) {
		CHECK_OK(pthread_mutex_lock(&mutex));
		count++;
		CHECK_OK(pthread_mutex_unlock(&mutex));
	}
	wait_for_round(1);
	soon = check_after_ms(CLOCK_REALTIME, 20);
	CHECK_ERR(pthread_mutex_timedlock(&held, &soon), ETIMEDOUT);
	CHECK(check_is_past(CLOCK_REALTIME, &soon));
	soon = check_after_ms(CLOCK_REALTIME, 20);
	CHECK_OK(pthread_mutex_lock(&mutex));
	while (round_number < 2) {
		int error = pthread_cond_timedwait(&cond, &mutex, &soon);

		if (error) {
			CHECK_ERR(error, ETIMEDOUT);
			CHECK(check_is_past(CLOCK_REALTIME, &soon));
			break;
		}
	}
	CHECK_OK(pthread_mutex_unlock(&mutex));
	atomic_fetch_add(&timed_out, 1);
	wait_for_round(3);
	return NULL;
}

static void clean(void *unused)
{
	(void)unused;
	cleaned++; /* with the mutex, as a condition wait promises */
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

static void *wait_until_cancelled(void *unused)
{
	while (!atomic_load(&go))
		check_sleep_ms(1);
	CHECK_OK(pthread_mutex_lock(&mutex));
	pthread_cleanup_push(clean, unused);
	waiting++;
	for (;;)
		CHECK_OK(pthread_cond_wait(&cond, &mutex));
	pthread_cleanup_pop(0);
	return NULL;
}

static void next_round(int number)
{
	CHECK_OK(pthread_mutex_lock(&mutex));
	round_number = number;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&mutex));
}

int main(int argc, char **argv)
{
	static pthread_t threads[THREADS], victims[8];
	pthread_attr_t attributes;

	check_begin();
	CHECK_OK(pthread_attr_init(&attributes));
	CHECK_OK(pthread_attr_setstacksize(&attributes, 128 * 1024));
	/* Once before, so that the C library has what cancelling needs. */
	CHECK_OK(pthread_create(&victims[0], &attributes, wait_until_cancelled, NULL));
	CHECK_OK(pthread_cancel(victims[0]));
	CHECK_OK(pthread_join(victims[0], NULL));

	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_create(&threads[i], &attributes, work, NULL));
	for (int i = 0; i < 8; i++)
		CHECK_OK(pthread_create(&victims[i], &attributes, wait_until_cancelled, NULL));
	CHECK_OK(pthread_mutex_lock(&held));
	if (argc > 1 && !strcmp(argv[1], "rlimit"))
		refuse_by_limit();
	else
		refuse_by_filter();
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK_EQ(errno, ENOMEM);
	atomic_store(&go, 1);

	check_await_guarded(&mutex, &waiting, THREADS + 8);
	CHECK_EQ(count, THREADS * TURNS);
	next_round(1);
	check_await(&timed_out, THREADS);
	check_await_guarded(&mutex, &waiting, THREADS + 8);
	for (int i = 0; i < 8; i++) {
		void *result;

		CHECK_OK(pthread_cancel(victims[i]));
		CHECK_OK(pthread_join(victims[i], &result));
		CHECK(result == PTHREAD_CANCELED);
	}
	CHECK_EQ(cleaned, 8);
	CHECK_OK(pthread_mutex_unlock(&held));
	next_round(3);
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(pthread_join(threads[i], NULL));
	return 0;
}
