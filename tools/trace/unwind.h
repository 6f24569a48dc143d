/* Call-frame information for the BPF side: see unwind.bpf.h. */
#ifndef OWN_TRACE_UNWIND_H
#define OWN_TRACE_UNWIND_H

#include "trace.h"

struct own_trace_unwinder;

/* NULL: it is not possible here, and stacks are found by frame pointers alone. */
struct own_trace_unwinder *own_trace_unwinder_open(const struct own_trace_session *session,
						   struct own_trace_symbols *symbols);
/* Answers what the BPF side has asked for; whether it had asked. */
bool own_trace_unwinder_poll(struct own_trace_unwinder *unwinder);
void own_trace_unwinder_close(struct own_trace_unwinder *unwinder);

#endif
