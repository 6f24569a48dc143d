// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Walks the private futex hash of the process that reads: for each waiter in each chain, the bucket
 * and the word. An iterator over tasks, since these are allowed where fentry is refused.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "chains.h"

/* More waiters in one bucket are not looked at: the test then misses them. */
#define CHAIN_MOST 512

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct list_head {
	struct list_head *next;
};
struct plist_head {
	struct list_head node_list;
};
struct plist_node {
	struct list_head node_list;
};
union futex_key {
	struct {
		unsigned long address;
		unsigned int offset;
	} private;
};
struct futex_q {
	struct plist_node list;
	union futex_key key;
};
struct futex_hash_bucket {
	struct plist_head chain;
};
struct futex_private_hash {
	unsigned int hash_mask;
	struct futex_hash_bucket queues[1];
};
struct mm_struct {
	struct futex_private_hash *futex_phash;
};
struct task_struct {
	int pid;
	int tgid;
	struct mm_struct *mm;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
#pragma clang attribute pop

struct walk {
	struct seq_file *seq;
	char *queues;
	__u32 slots;
};

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* False: this kernel's private hash is not as described above. */
bool chains_known = true;

static long walk_bucket(__u32 bucket, struct walk *walk)
{
	char *head = walk->queues + (__u64)bucket * bpf_core_type_size(struct futex_hash_bucket) +
		     bpf_core_field_offset(struct futex_hash_bucket, chain.node_list);
	struct list_head *node = NULL;

	bpf_core_read(&node, sizeof(node), &((struct list_head *)head)->next);
	for (int i = 0; i < CHAIN_MOST && node && (char *)node != head; i++) {
		struct futex_q *waiter =
		    (void *)((char *)node - bpf_core_field_offset(struct futex_q, list.node_list));
		struct chain_entry entry = {.bucket = bucket, .slots = walk->slots};

		entry.address = BPF_CORE_READ(waiter, key.private.address) +
				BPF_CORE_READ(waiter, key.private.offset);
		bpf_seq_write(walk->seq, &entry, sizeof(entry));
		bpf_core_read(&node, sizeof(node), &node->next);
	}
	return 0;
}

SEC("iter/task")
int chains(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct futex_private_hash *hash;
	struct walk walk;

	if (!task || task->pid != task->tgid ||
	    (__u32)task->tgid != (__u32)(bpf_get_current_pid_tgid() >> 32))
		return 0;
	if (!bpf_core_field_exists(struct mm_struct, futex_phash) ||
	    !bpf_core_field_exists(struct futex_private_hash, queues)) {
		chains_known = false;
		return 0;
	}
	hash = BPF_CORE_READ(task, mm, futex_phash);
	if (!hash)
		return 0;
	walk.seq = context->meta->seq;
	walk.slots = BPF_CORE_READ(hash, hash_mask) + 1;
	walk.queues = (char *)hash + bpf_core_field_offset(struct futex_private_hash, queues);
	bpf_loop(walk.slots, walk_bucket, &walk, 0);
	return 0;
}
