/*
 * The time in the bucket lock, an extra that each kernel allows in its own way: every acquisition
 * by fentry, or else contended ones by tracepoints.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "lock.h"
#include "lock.skel.h"
#include "contention.skel.h"

struct own_trace_lock {
	struct own_trace_lock_bpf *fentry;
	struct own_trace_contention_bpf *contention;
};

static int try_fentry(struct own_trace_lock *lock, int threads)
{
	struct own_trace_lock_bpf *programs = own_trace_lock_bpf__open();
	int error;

	if (!programs)
		return errno;
	error = -bpf_map__reuse_fd(programs->maps.threads, threads);
	if (!error)
		error = -own_trace_lock_bpf__load(programs);
	if (!error)
		error = -own_trace_lock_bpf__attach(programs);
	if (error)
		own_trace_lock_bpf__destroy(programs);
	else
		lock->fentry = programs;
	return error;
}

static bool is_lock_function(const char *name)
{
	return strncmp(name, "_raw_spin_lock", 14) == 0;
}

static bool is_futex_function(const char *name)
{
	return strncmp(name, "futex_", 6) == 0 || strncmp(name, "__futex_", 8) == 0;
}

struct text_symbol {
	__u64 address;
	bool lock, futex;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct text_symbol *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* Every function of the kernel, ascending. NULL: they cannot be read; *count is 0. */
static struct text_symbol *read_kernel_symbols(size_t *count, __u64 *futex_wait)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct text_symbol *symbols = NULL;
	char line[512], name[256], type;
	unsigned long long address;
	size_t room = 0;

	*count = 0;
	*futex_wait = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %255s", &address, &type, name) != 3 || !address ||
		    !strchr("tTwW", type))
			continue;
		if (*count == room) {
			struct text_symbol *bigger;

			room = room ? 2 * room : 65536;
			bigger = realloc(symbols, room * sizeof(*symbols));
			if (!bigger)
				break;
			symbols = bigger;
		}
		if (strcmp(name, "futex_wait") == 0)
			*futex_wait = address;
		symbols[(*count)++] =
		    (struct text_symbol){address, is_lock_function(name), is_futex_function(name)};
	}
	if (file)
		fclose(file);
	if (*count)
		qsort(symbols, *count, sizeof(*symbols), compare_symbols);
	return symbols;
}

/* Each lock function, up to its neighbour. False: there are none, or too many. */
static bool find_lock_functions(const struct text_symbol *symbols, size_t count,
				struct own_trace_range *ranges)
{
	int used = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		__u64 end = symbols[i + 1].address;

		/* Of the names of one address the last one has the end. */
		if (!symbols[i].lock || end == symbols[i].address)
			continue;
		if (used == OWN_TRACE_RANGES)
			return false;
		ranges[used++] = (struct own_trace_range){symbols[i].address, end};
	}
	return used > 0;
}

/*
 * The code of kernel/futex lies together, with static functions of other names in between: from
 * the first to the last futex_ function that is no further than that from futex_wait.
 */
#define FUTEX_CODE_BYTES 65536

static bool find_futex_functions(const struct text_symbol *symbols, size_t count, __u64 futex_wait,
				 struct own_trace_range *range)
{
	for (size_t i = 0; i + 1 < count; i++) {
		__u64 address = symbols[i].address;

		if (!symbols[i].futex || address + FUTEX_CODE_BYTES < futex_wait ||
		    address > futex_wait + FUTEX_CODE_BYTES)
			continue;
		if (!range->from)
			range->from = address;
		range->to = symbols[i + 1].address;
	}
	return range->from != 0;
}

static int try_contention(struct own_trace_lock *lock, int threads)
{
	struct own_trace_range locks[OWN_TRACE_RANGES] = {{0, 0}};
	struct own_trace_range futexes = {0, 0};
	struct own_trace_contention_bpf *programs;
	struct text_symbol *symbols;
	__u64 futex_wait;
	size_t count;
	bool found;
	int error;

	symbols = read_kernel_symbols(&count, &futex_wait);
	found = futex_wait && find_lock_functions(symbols, count, locks) &&
		find_futex_functions(symbols, count, futex_wait, &futexes);
	free(symbols);
	if (!found)
		return ENOENT;
	programs = own_trace_contention_bpf__open();
	if (!programs)
		return errno;
	memcpy((void *)programs->rodata->own_lock_functions, locks, sizeof(locks));
	programs->rodata->own_futex_functions = futexes;
	error = -bpf_map__reuse_fd(programs->maps.threads, threads);
	if (!error)
		error = -own_trace_contention_bpf__load(programs);
	if (!error)
		error = -own_trace_contention_bpf__attach(programs);
	if (error)
		own_trace_contention_bpf__destroy(programs);
	else
		lock->contention = programs;
	return error;
}

struct own_trace_lock *own_trace_lock_open(int threads, char *reason, size_t size)
{
	struct own_trace_lock *lock = calloc(1, sizeof(*lock));
	int error, other;

	reason[0] = '\0';
	if (!lock)
		return NULL;
	error = try_fentry(lock, threads);
	if (!error)
		return lock;
	other = try_contention(lock, threads);
	if (!other)
		snprintf(reason, size, "fentry on futex_q_lock is refused: %s", strerror(error));
	else
		snprintf(reason, size,
			 "fentry on futex_q_lock is refused (%s), lock tracepoints as well (%s)",
			 strerror(error), strerror(other));
	return lock;
}

enum own_trace_lock_source own_trace_lock_kind(const struct own_trace_lock *lock)
{
	if (lock && lock->fentry)
		return OWN_TRACE_LOCK_FENTRY;
	return lock && lock->contention ? OWN_TRACE_LOCK_CONTENTION : OWN_TRACE_LOCK_NONE;
}

void own_trace_lock_close(struct own_trace_lock *lock)
{
	if (!lock)
		return;
	own_trace_lock_bpf__destroy(lock->fentry);
	own_trace_contention_bpf__destroy(lock->contention);
	free(lock);
}
