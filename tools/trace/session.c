/* Loading, attaching and stopping the BPF programs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "lock.h"
#include "trace.h"
#include "futex.skel.h"

struct own_trace_session {
	struct own_trace_bpf *programs;
	struct own_trace_lock *lock;
	char lock_reason[160];
	__u64 cookie;
	unsigned by;
};

static bool verbose_libbpf;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (!verbose_libbpf || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, arguments);
}

#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif
/* futex_wake, futex_wait and futex_requeue of Linux 6.7: the same numbers everywhere. */
#define NUMBER_FUTEX_WAKE    454
#define NUMBER_FUTEX_WAIT    455
#define NUMBER_FUTEX_REQUEUE 456

static const struct own_trace_numbers numbers = {
    .futex = __NR_futex,
    .waitv = __NR_futex_waitv,
    .wake2 = NUMBER_FUTEX_WAKE,
    .wait2 = NUMBER_FUTEX_WAIT,
    .requeue2 = NUMBER_FUTEX_REQUEUE,
    .restart = __NR_restart_syscall,
    .compat_futex = 240,
    .compat_futex_time64 = 422,
    .compat_restart = 0,
};

static void explain_failure(struct own_trace_failure *failure, int error, const char *what)
{
	char *text = failure->text;
	size_t size = sizeof(failure->text);

	if (access("/sys/kernel", R_OK) != 0)
		snprintf(text, size,
			 "/sys is not mounted here; mount -t sysfs sysfs /sys, or trace from "
			 "outside the container or chroot");
	else if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
		snprintf(text, size,
			 "this kernel has no /sys/kernel/btf/vmlinux; boot one that is built with "
			 "CONFIG_DEBUG_INFO_BTF");
	else if ((error == EPERM || error == EACCES) && geteuid() != 0)
		snprintf(text, size,
			 "not permitted; run it as root, or with CAP_BPF and CAP_PERFMON");
	else if (error == EPERM || error == EACCES)
		snprintf(text, size,
			 "the kernel refuses to %s BPF programs even to root (%s); a container "
			 "needs CAP_BPF and CAP_PERFMON and a seccomp filter that allows bpf(2), "
			 "e.g. docker run --privileged",
			 what, strerror(error));
	else
		snprintf(text, size,
			 "cannot %s the BPF programs: %s; Linux 5.11 or later is needed, "
			 "\"ownline trace --check --verbose\" shows the kernel's reasons",
			 what, strerror(error));
}

static bool set_rows(struct own_trace_session *session, const struct own_trace_options *options)
{
	unsigned words = options->by & OWN_TRACE_BY_WORD ? options->rows : 1;
	unsigned sites = options->by & OWN_TRACE_BY_SITE ? options->rows / 4 + 1 : 1;
	unsigned names = options->by & OWN_TRACE_BY_THREAD ? options->rows / 32 + 1 : 1;

#ifdef __x86_64__
	if (!(options->by & OWN_TRACE_BY_SITE) &&
	    (bpf_map__set_max_entries(session->programs->maps.unwinds, 1) != 0 ||
	     bpf_map__set_max_entries(session->programs->maps.unwinds_wanted, 1) != 0))
		return false;
#endif
	return bpf_map__set_max_entries(session->programs->maps.words, words) == 0 &&
	       bpf_map__set_max_entries(session->programs->maps.sites, sites) == 0 &&
	       bpf_map__set_max_entries(session->programs->maps.threads, options->rows) == 0 &&
	       bpf_map__set_max_entries(session->programs->maps.names, names) == 0;
}

/* sys_enter comes last: whatever it notes must find its sys_exit. */
static int attach_programs(struct own_trace_bpf *programs)
{
	struct {
		struct bpf_program *program;
		struct bpf_link **link;
	} all[] = {
	    {programs->progs.own_fork, &programs->links.own_fork},
	    {programs->progs.own_exec, &programs->links.own_exec},
	    {programs->progs.own_exit, &programs->links.own_exit},
	    {programs->progs.own_sys_exit, &programs->links.own_sys_exit},
	    {programs->progs.own_sys_enter, &programs->links.own_sys_enter},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i].link = bpf_program__attach(all[i].program);
		if (!*all[i].link)
			return errno;
	}
	return 0;
}

struct own_trace_session *own_trace_open(const struct own_trace_options *options,
					 struct own_trace_failure *failure)
{
	struct own_trace_session *session = calloc(1, sizeof(*session));
	int error;

	verbose_libbpf = options->verbose;
	libbpf_set_print(print_libbpf);
	if (!session) {
		snprintf(failure->text, sizeof(failure->text), "out of memory; end other programs");
		return NULL;
	}
	session->by = options->by;
	session->programs = own_trace_bpf__open();
	if (!session->programs) {
		explain_failure(failure, errno, "open");
		free(session);
		return NULL;
	}
	if (getrandom(&session->cookie, sizeof(session->cookie), 0) != sizeof(session->cookie))
		session->cookie = (__u64)time(NULL) * 0x9e3779b97f4a7c15u;
	/* Odd, so that the kernel refuses it as a futex word, whatever the program counts. */
	session->cookie |= 1;
	session->programs->rodata->own_numbers = numbers;
	session->programs->rodata->own_by = options->by;
	session->programs->rodata->own_follow_all = options->target == OWN_TRACE_ALL;
	session->programs->rodata->own_cookie = session->cookie;
#if defined(__x86_64__) && defined(OWN_HAVE_LIBDW)
	session->programs->rodata->own_unwind = true;
#endif
	error = set_rows(session, options) ? -own_trace_bpf__load(session->programs) : ENOMEM;
	if (error) {
		explain_failure(failure, error, "load");
		own_trace_close(session);
		return NULL;
	}
	session->lock = own_trace_lock_open(bpf_map__fd(session->programs->maps.threads),
					    session->lock_reason, sizeof(session->lock_reason));
	error = attach_programs(session->programs);
	if (error) {
		explain_failure(failure, error, "attach");
		own_trace_close(session);
		return NULL;
	}
	own_trace_cookie_call(session, false);
	return session;
}

/*
 * After own_stopped is set, a program may still be under way on another CPU. The global membarrier
 * waits for an RCU grace period, and BPF programs run inside RCU: then all are done.
 */
void own_trace_stop(struct own_trace_session *session)
{
	session->programs->bss->own_stopped = true;
	if (syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL */, 0, 0) != 0) {
		struct timespec pause = {.tv_nsec = 50L * 1000 * 1000};

		nanosleep(&pause, NULL);
	}
}

void own_trace_close(struct own_trace_session *session)
{
	if (!session)
		return;
	own_trace_lock_close(session->lock);
	own_trace_bpf__destroy(session->programs);
	free(session);
}

void own_trace_cookie_call(const struct own_trace_session *session, bool follow)
{
	int operation = follow ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE;

	syscall(SYS_futex, session->cookie, operation, 1, NULL, NULL, 0);
}

bool own_trace_sees_real_pids(const struct own_trace_session *session)
{
	return session->programs->bss->own_cookie_tid == (__u32)getpid();
}

enum own_trace_lock_source own_trace_lock_source(const struct own_trace_session *session)
{
	return own_trace_lock_kind(session->lock);
}

const char *own_trace_lock_reason(const struct own_trace_session *session)
{
	return session->lock_reason;
}

struct own_trace_maps own_trace_maps(const struct own_trace_session *session)
{
	struct own_trace_bpf *programs = session->programs;

	return (struct own_trace_maps){
	    .totals = bpf_map__fd(programs->maps.totals),
	    .threads = bpf_map__fd(programs->maps.threads),
	    .words = bpf_map__fd(programs->maps.words),
	    .names = bpf_map__fd(programs->maps.names),
	    .sites = bpf_map__fd(programs->maps.sites),
#ifdef __x86_64__
	    .unwinds = bpf_map__fd(programs->maps.unwinds),
	    .unwinds_wanted = bpf_map__fd(programs->maps.unwinds_wanted),
#else
	    .unwinds = -1,
	    .unwinds_wanted = -1,
#endif
	    .by = session->by,
	};
}

__u64 own_trace_missed_events(const struct own_trace_session *session)
{
	struct bpf_program *program;
	__u64 missed = 0;

	bpf_object__for_each_program(program, session->programs->obj)
	{
		struct bpf_prog_info info;
		__u32 size = sizeof(info);

		memset(&info, 0, sizeof(info));
		if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0)
			missed += info.recursion_misses;
	}
	return missed;
}
