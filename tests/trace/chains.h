/* What chains.bpf.c says of a waiter to chains.c. */
#ifndef OWN_TESTS_TRACE_CHAINS_H
#define OWN_TESTS_TRACE_CHAINS_H

struct chain_entry {
	__u64 address; /* of the word that is waited on */
	__u32 bucket;
	__u32 slots;
};

#endif
