/* The maps, and how a call that has ended is added to them. BPF side. */
#ifndef OWN_TRACE_TABLES_H
#define OWN_TRACE_TABLES_H

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct own_trace_totals);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct own_trace_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct own_trace_word_key);
	__type(value, struct own_trace_row);
} words SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 2048);
	__type(key, struct own_trace_name_key);
	__type(value, struct own_trace_row);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct own_trace_site_key);
	__type(value, struct own_trace_row);
} sites SEC(".maps");

static const struct own_trace_row zero_row;

static struct own_trace_totals *get_totals(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&totals, &zero);
}

static __u32 histogram_bucket(__u64 time_ns)
{
	__u64 value = time_ns / OWN_TRACE_HISTOGRAM_UNIT_NS;
	__u32 bucket = 0;

	if (value >> 32) {
		bucket += 32;
		value >>= 32;
	}
	if (value >> 16) {
		bucket += 16;
		value >>= 16;
	}
	if (value >> 8) {
		bucket += 8;
		value >>= 8;
	}
	if (value >> 4) {
		bucket += 4;
		value >>= 4;
	}
	if (value >> 2) {
		bucket += 2;
		value >>= 2;
	}
	/* value is 0 to 3: its length in bits. Bucket 0 is kept for "below the unit". */
	bucket += value >> 1;
	if (time_ns >= OWN_TRACE_HISTOGRAM_UNIT_NS)
		bucket++;
	return bucket < OWN_TRACE_BUCKETS ? bucket : OWN_TRACE_BUCKETS - 1;
}

/*
 * Hides where an index comes from, so that the check of its bounds right behind stays where the
 * verifier wants it: older ones lose bounds that the compiler has proven some other way.
 */
#define CHECK_HERE(index) barrier_var(index)

static void add_timing(struct own_trace_timing *timing, __u64 time_ns)
{
	__u32 bucket = histogram_bucket(time_ns);

	timing->count++;
	timing->time_ns += time_ns;
	CHECK_HERE(bucket);
	if (bucket < OWN_TRACE_BUCKETS)
		timing->histogram[bucket]++;
}

struct ended {
	__u32 class;
	__u32 woken;
	__u64 time_ns;
};

static void add_shared(struct own_trace_row *row, const struct ended *ended)
{
	__u32 class = ended->class;

	CHECK_HERE(class);
	if (class >= OWN_TRACE_CLASSES)
		return;
	__sync_fetch_and_add(&row->count[class], 1);
	__sync_fetch_and_add(&row->time_ns[class], ended->time_ns);
	if (ended->woken)
		__sync_fetch_and_add(&row->threads_woken, ended->woken);
}

static struct own_trace_row *find_row(void *map, const void *key)
{
	struct own_trace_row *row = bpf_map_lookup_elem(map, key);

	if (row)
		return row;
	bpf_map_update_elem(map, key, &zero_row, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static void add_word(struct own_trace_totals *sum, struct own_trace_thread *thread,
		     const struct ended *ended)
{
	struct own_trace_word_key key = {.address = thread->word, .tgid = thread->tgid};
	struct own_trace_row *row = find_row(&words, &key);

	if (row)
		add_shared(row, ended);
	else
		sum->words_lost++;
}

static void add_name(struct own_trace_totals *sum, const struct ended *ended)
{
	struct own_trace_name_key key = {};
	struct own_trace_row *row;
	__u32 class = ended->class;

	bpf_get_current_comm(key.name, sizeof(key.name));
	row = find_row(&names, &key);
	CHECK_HERE(class);
	if (!row || class >= OWN_TRACE_CLASSES) {
		sum->names_lost++;
		return;
	}
	row->count[class]++;
	row->time_ns[class] += ended->time_ns;
	row->threads_woken += ended->woken;
}

static void add_site(void *context, struct pt_regs *regs, struct own_trace_totals *sum,
		     struct own_trace_thread *thread, const struct ended *ended)
{
	struct own_trace_site_key key = {.tgid = thread->tgid};
	struct own_trace_row *row;

	if (!unwind(regs, thread->tgid, key.frames) &&
	    bpf_get_stack(context, key.frames, sizeof(key.frames), BPF_F_USER_STACK) <= 0)
		sum->stacks_failed++;
	row = find_row(&sites, &key);
	if (row)
		add_shared(row, ended);
	else
		sum->sites_lost++;
}

#endif
