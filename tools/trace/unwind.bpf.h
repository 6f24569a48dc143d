/* The stack of a program without frame pointers, by the tables that unwind.c fills. BPF side. */
#ifndef OWN_TRACE_UNWIND_BPF_H
#define OWN_TRACE_UNWIND_BPF_H

#if defined(__TARGET_ARCH_x86)

const volatile bool own_unwind; /* somebody answers */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct own_trace_unwind_key);
	__type(value, struct own_trace_unwind);
} unwinds SEC(".maps");

/* What was not found in `unwinds`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct own_trace_unwind_key);
	__type(value, __u32);
} unwinds_wanted SEC(".maps");

/*
 * False: a step is not known yet, and has been asked for; the frames are void. The caller then does
 * with frame pointers.
 */
static bool unwind(struct pt_regs *regs, __u32 tgid, __u64 *frames)
{
	__u64 address = regs->ip, sp = regs->sp, bp = regs->bp;

	if (!own_unwind)
		return false;

		/* Unrolled: the loop that the compiler makes is none that Linux 6.1 takes. */
#pragma clang loop unroll(full)
	for (int i = 0; i < OWN_TRACE_FRAMES; i++) {
		struct own_trace_unwind_key key = {.address = address - 1, .tgid = tgid};
		struct own_trace_unwind *step = bpf_map_lookup_elem(&unwinds, &key);
		__u64 frame;

		if (!step) {
			__u32 one = 1;

			bpf_map_update_elem(&unwinds_wanted, &key, &one, BPF_ANY);
			for (int j = 0; j < OWN_TRACE_FRAMES; j++)
				frames[j] = 0;
			return false;
		}
		frames[i] = address;
		if (step->base == OWN_TRACE_UNWIND_END)
			return true;
		frame = (step->base == OWN_TRACE_UNWIND_SP ? sp : bp) + step->cfa_offset;
		if (step->bp_offset &&
		    bpf_probe_read_user(&bp, sizeof(bp), (void *)(frame + step->bp_offset)))
			return true;
		if (bpf_probe_read_user(&address, sizeof(address), (void *)(frame - 8)) || !address)
			return true;
		sp = frame;
	}
	return true;
}

#else

/* aarch64 programs keep frame pointers. */
static bool unwind(struct pt_regs *regs, __u32 tgid, __u64 *frames)
{
	return false;
}

#endif

#endif
