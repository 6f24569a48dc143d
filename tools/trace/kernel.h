/*
 * The few fields of kernel structures that the BPF programs read. Offsets are corrected when the
 * programs are loaded (CO-RE), so the order and the fields left out do not matter, and the kernel
 * that runs while this is built need not be the one that is traced.
 */
#ifndef OWN_TRACE_KERNEL_H
#define OWN_TRACE_KERNEL_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long bp, bx, r10, r9, r8, cx, dx, si, di, orig_ax, ip, sp;
};
struct thread_info {
	unsigned int status;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	unsigned long regs[31];
	unsigned long orig_x0;
	int syscallno;
};
struct thread_info {
	unsigned long flags;
};
#else
#error "ownline trace knows x86-64 and aarch64 alone"
#endif

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
};

#pragma clang attribute pop

#if defined(__TARGET_ARCH_x86)
#define OWN_TS_COMPAT 2u /* set in thread_info.status while a 32-bit system call runs */
#else
#define OWN_TIF_32BIT (1ul << 22)
#endif

#endif
