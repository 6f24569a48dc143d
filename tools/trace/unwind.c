/*
 * Answers the BPF side's questions "how do I get from this code address to its caller?" out of the
 * files' .eh_frame. Each address is asked for once per process; until the answer is there, stacks
 * are found by frame pointers.
 */
#include "unwind.h"

#if defined(__x86_64__) && defined(OWN_HAVE_LIBDW)
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

/* DWARF's numbers of these registers on x86-64. */
#define REGISTER_BP	6
#define REGISTER_SP	7
#define REGISTER_RETURN 16

struct frames {
	struct frames *next;
	const char *path; /* interned: compared by pointer */
	int fd;
	Elf *elf;
	Dwarf_CFI *information; /* NULL: the file has none */
};

struct own_trace_unwinder {
	struct own_trace_symbols *symbols;
	int unwinds;
	int wanted;
	struct frames *files;
};

static struct frames *frames_of(struct own_trace_unwinder *unwinder, const char *path)
{
	struct frames *frames = unwinder->files;

	while (frames && frames->path != path)
		frames = frames->next;
	if (frames)
		return frames;
	frames = calloc(1, sizeof(*frames));
	if (!frames)
		return NULL;
	frames->path = path;
	frames->next = unwinder->files;
	unwinder->files = frames;
	frames->fd = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (frames->fd >= 0)
		frames->elf = elf_begin(frames->fd, ELF_C_READ_MMAP, NULL);
	if (frames->elf && elf_kind(frames->elf) == ELF_K_ELF)
		frames->information = dwarf_getcfi_elf(frames->elf);
	return frames;
}

/* Whether the outermost function is reached: its return address is undefined. */
static bool is_outermost(Dwarf_Frame *frame)
{
	Dwarf_Op space[3], *operations = space;
	size_t count = 0;

	if (dwarf_frame_register(frame, REGISTER_RETURN, space, &operations, &count) != 0)
		return true;
	return count == 0 && operations == NULL;
}

/* Where the caller's BP is saved, from the frame address. False: in no simple way. */
static bool find_bp(Dwarf_Frame *frame, __s32 *offset)
{
	Dwarf_Op space[3], *operations = space;
	size_t count = 0;

	*offset = 0;
	if (dwarf_frame_register(frame, REGISTER_BP, space, &operations, &count) != 0)
		return false;
	if (count == 0)
		return true; /* unchanged, or lost: then nobody uses it as a base */
	if (operations[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (count == 2 && operations[1].atom == DW_OP_plus_uconst)
		*offset = (__s32)operations[1].number;
	else if (count == 3 && operations[1].atom == DW_OP_consts &&
		 operations[2].atom == DW_OP_plus)
		*offset = (__s32)operations[1].number;
	else
		return false;
	return *offset != 0;
}

/* Leaves the end where the frame address is no register plus an offset. */
static void set_base(struct own_trace_unwind *step, const Dwarf_Op *operation)
{
	bool any = operation->atom == DW_OP_bregx;
	Dwarf_Word number = any ? operation->number : operation->atom - (unsigned)DW_OP_breg0;

	step->cfa_offset = (__s32)(any ? operation->number2 : operation->number);
	if (number == REGISTER_SP)
		step->base = OWN_TRACE_UNWIND_SP;
	else if (number == REGISTER_BP)
		step->base = OWN_TRACE_UNWIND_BP;
}

static struct own_trace_unwind step_at(Dwarf_CFI *information, __u64 address)
{
	struct own_trace_unwind end = {.base = OWN_TRACE_UNWIND_END}, step = end;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *operations;
	size_t count;

	if (!information || dwarf_cfi_addrframe(information, address, &frame) != 0)
		return end;
	if (!is_outermost(frame) && dwarf_frame_cfa(frame, &operations, &count) == 0 &&
	    count == 1 && find_bp(frame, &step.bp_offset))
		set_base(&step, &operations[0]);
	free(frame);
	return step;
}

static void answer(struct own_trace_unwinder *unwinder, const struct own_trace_unwind_key *key)
{
	struct own_trace_unwind step;
	struct frames *frames;
	const char *path;
	__u64 address;

	/* A mapping that is not known yet is asked for again. */
	if (!own_trace_symbols_locate(unwinder->symbols, key->tgid, key->address, &path, &address))
		return;
	frames = frames_of(unwinder, path);
	if (!frames)
		return;
	step = step_at(frames->information, address);
	bpf_map_update_elem(unwinder->unwinds, key, &step, BPF_ANY);
}

struct own_trace_unwinder *own_trace_unwinder_open(const struct own_trace_session *session,
						   struct own_trace_symbols *symbols)
{
	struct own_trace_maps maps = own_trace_maps(session);
	struct own_trace_unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	unwinder->symbols = symbols;
	unwinder->unwinds = maps.unwinds;
	unwinder->wanted = maps.unwinds_wanted;
	return unwinder;
}

bool own_trace_unwinder_poll(struct own_trace_unwinder *unwinder)
{
	struct own_trace_unwind_key key;
	bool asked = false;
	int most = 4096; /* those that ask again are for the next time */

	while (most-- > 0 && bpf_map_get_next_key(unwinder->wanted, NULL, &key) == 0) {
		asked = true;
		answer(unwinder, &key);
		bpf_map_delete_elem(unwinder->wanted, &key);
	}
	return asked;
}

void own_trace_unwinder_close(struct own_trace_unwinder *unwinder)
{
	while (unwinder->files) {
		struct frames *frames = unwinder->files;

		unwinder->files = frames->next;
		if (frames->information)
			dwarf_cfi_end(frames->information);
		elf_end(frames->elf);
		if (frames->fd >= 0)
			close(frames->fd);
		free(frames);
	}
	free(unwinder);
}
#else
struct own_trace_unwinder *own_trace_unwinder_open(const struct own_trace_session *session,
						   struct own_trace_symbols *symbols)
{
	(void)session;
	(void)symbols;
	return NULL;
}

bool own_trace_unwinder_poll(struct own_trace_unwinder *unwinder)
{
	(void)unwinder;
	return false;
}

void own_trace_unwinder_close(struct own_trace_unwinder *unwinder)
{
	(void)unwinder;
}
#endif
