/*
 * The predicted bucket of every waiter, against the chains in which the kernel has it. Each case is
 * a process of its own, since a table's size is a process's choice: threads wait on words all over
 * memory, and the process reads its own chains by a BPF iterator.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chains.h"
#include "chains.skel.h"
#include "core/parker_slab.h"
#include "sys/futex.h"
#include "sys/futex_hash.h"

#define WAITERS	   200
#define AREA	   (256UL << 20) /* where the words are: pages of it are touched one by one */
#define MOST	   1024
#define TRIES	   3000 /* of 10 ms */
#define SKIP	   77
#define AS_IT_IS   0
#define LATE	   UINT32_C(0x80000000) /* ask for the slots when all threads are waiting */
#define FOR_PARKER UINT32_C(0x40000000) /* wait on parkers */

static _Atomic uint32_t *words[WAITERS];
static unsigned waiters;
static struct chain_entry entries[MOST];

static void fail(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(status);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_WARN && getenv("CHAINS_VERBOSE")
		   ? vfprintf(stderr, format, arguments)
		   : 0;
}

static struct chains_bpf *load(void)
{
	struct chains_bpf *programs = chains_bpf__open();
	int error = programs ? chains_bpf__load(programs) : -errno;

	if (error == -EPERM || error == -EACCES)
		fail(SKIP, "skipped: BPF iterators are not permitted here; run as root");
	if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
		fail(SKIP, "skipped: this kernel has no BTF");
	if (error != 0)
		fail(1, "cannot load the iterator: %s", strerror(-error));
	return programs;
}

/* All waiters of this process, as the kernel has them. */
static size_t read_chains(const struct chains_bpf *programs)
{
	struct bpf_link *link = bpf_program__attach_iter(programs->progs.chains, NULL);
	size_t bytes = 0;
	ssize_t got;
	int fd;

	if (!link)
		fail(errno == EPERM ? SKIP : 1, "cannot attach the iterator: %s", strerror(errno));
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0)
		fail(1, "cannot make the iterator: %s", strerror(errno));
	while ((got = read(fd, (char *)entries + bytes, sizeof(entries) - bytes)) > 0)
		bytes += (size_t)got;
	if (got < 0)
		fail(1, "cannot read the iterator: %s", strerror(errno));
	close(fd);
	bpf_link__destroy(link);
	return bytes / sizeof(entries[0]);
}

static void *wait_on(void *word)
{
	while (own_load_relaxed((_Atomic uint32_t *)word) == 0) {
		if (own_futex_wait(word, 0, NULL) == -EFAULT)
			return word;
	}
	return NULL;
}

/* Words anywhere in their pages and cachelines, and in all bits of the page's address. */
static void choose_words(bool parkers)
{
	char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t random = (uint64_t)(uintptr_t)area | 1;

	if (area == MAP_FAILED)
		fail(1, "no memory");
	waiters = parkers ? 16 : WAITERS;
	for (unsigned i = 0; i < waiters; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		/* One in each part of the area: no two are the same. */
		words[i] = (void *)(area + i * (AREA / WAITERS) / 64 * 64 +
				    (random >> 33) % (AREA / WAITERS - 64) / 4 * 4);
		if (parkers)
			words[i] = &own_parker_slab_take()->word;
		else if (i % 8 == 7)
			words[i] = calloc(1, 4 + i);
	}
}

static unsigned number_of(uint64_t address)
{
	for (unsigned i = 0; i < waiters; i++) {
		if ((uintptr_t)words[i] == address)
			return i;
	}
	fail(1, "the kernel has a waiter on %#llx, which is no word of ours",
	     (unsigned long long)address);
	return 0;
}

static void compare(size_t count, bool parkers)
{
	static bool seen[WAITERS];
	uint32_t slots = entries[0].slots;
	unsigned of_16 = 0;
	unsigned wrong = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned number = number_of(entries[i].address);
		uint32_t predicted = own_futex_bucket(words[number], slots);

		if (seen[number])
			fail(1, "a waiter is there twice");
		seen[number] = true;
		of_16 |= 1u << entries[i].bucket % 16;
		if (predicted == entries[i].bucket)
			continue;
		fprintf(stderr, "word %p: bucket %u of %u, predicted %u\n", (void *)words[number],
			entries[i].bucket, slots, predicted);
		wrong++;
	}
	if (parkers && of_16 != 0xffff)
		fail(1, "16 parkers are not in 16 buckets modulo 16: %#x", of_16);
	printf("%s: %zu waiters in %u slots, %u wrong\n", parkers ? "parkers" : "words", count,
	       slots, wrong);
	if (wrong > 0)
		exit(1);
}

static void set_slots(uint32_t slots)
{
	int error = slots != AS_IT_IS ? own_futex_hash_set_slots(slots) : 0;

	if (error != 0)
		fail(1, "cannot set %u slots: %s", slots, strerror(-error));
}

static void run_case(uint32_t wanted)
{
	bool parkers = (wanted & FOR_PARKER) != 0;
	bool late = (wanted & LATE) != 0;
	uint32_t slots = wanted & ~(LATE | FOR_PARKER);
	struct chains_bpf *programs = load();
	pthread_t threads[WAITERS];
	pthread_attr_t small;
	size_t count = 0;

	if (!late)
		set_slots(slots);
	choose_words(parkers);
	if (pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, 65536) != 0)
		fail(1, "no thread attributes");
	for (unsigned i = 0; i < waiters; i++) {
		if (pthread_create(&threads[i], &small, wait_on, (void *)words[i]) != 0)
			fail(1, "no thread");
	}
	for (int i = 0; i < TRIES; i++) {
		count = read_chains(programs);
		if (!programs->data->chains_known)
			fail(SKIP, "skipped: this kernel's futex hash looks otherwise");
		if (count == waiters && late) {
			set_slots(slots);
			late = false;
		} else if (count == waiters && (slots == AS_IT_IS || entries[0].slots == slots)) {
			break;
		}
		usleep(10000);
	}
	if (count != waiters)
		fail(1, "%zu waiters in the chains, not %u", count, waiters);
	if (slots != AS_IT_IS && entries[0].slots != slots)
		fail(1, "%u slots, not %u", entries[0].slots, slots);
	compare(count, parkers);
	for (unsigned i = 0; i < waiters; i++) {
		own_store_relaxed(words[i], 1);
		own_futex_wake(words[i], 1);
		pthread_join(threads[i], NULL);
	}
	pthread_attr_destroy(&small);
	chains_bpf__destroy(programs);
	exit(0);
}

int main(void)
{
	static const uint32_t cases[] = {AS_IT_IS,
					 2,
					 16,
					 64,
					 1024,
					 65536,
					 LATE | 128,
					 FOR_PARKER | AS_IT_IS,
					 FOR_PARKER | LATE | 32};
	int worst = 0;

	if (own_futex_hash_slots() < 0)
		fail(SKIP, "skipped: %s", own_futex_hash_why(own_futex_hash_slots()));
	libbpf_set_print(print_nothing);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t child;
		int status = 0;

		fflush(NULL);
		child = fork();
		if (child == 0)
			run_case(cases[i]);
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
			fail(1, "case %zu did not end", i);
		if (WEXITSTATUS(status) == SKIP)
			return SKIP;
		if (WEXITSTATUS(status) != 0)
			worst = 1;
	}
	return worst;
}
