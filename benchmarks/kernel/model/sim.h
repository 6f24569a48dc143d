/*
 * Threads that work through programs of steps, in the order of simulated time. An event is "this
 * thread may go on"; a thread has at most one. What an access to a line finds (a lock taken, a
 * word changed) is decided when it is asked for, since a line serves accesses in that order.
 */
#ifndef OWN_MODEL_SIM_H
#define OWN_MODEL_SIM_H

#include "kernel/model/spinlock.h"

struct run;
struct thread;

enum step_kind {
	STEP_COMPUTE, /* ns */
	STEP_READ,    /* line */
	STEP_CHANGE,  /* line */
	STEP_LOCK,    /* bucket: its lock, however long that takes */
	STEP_TRYLOCK, /* bucket; to target if it is taken */
	STEP_UNLOCK,  /* bucket */
	STEP_CHECK,   /* to target if the user's word is not what the wait expects */
	STEP_COUNT,   /* bucket: a waiter more */
	STEP_UNCOUNT, /* bucket: a waiter less */
	STEP_PENDING, /* bucket; to target if it has no waiter */
	STEP_QUEUE,   /* bucket: into the chain */
	STEP_UNQUEUE, /* bucket: out of it again */
	STEP_SLEEP,   /* until woken */
	STEP_TAKE,    /* bucket: one thread that waits for the word, out of the chain */
	STEP_WAKE,    /* makes that thread runnable */
	STEP_YIELD,   /* the CPU to the next runnable thread, if any */
	STEP_CALL,    /* the workload's own */
	STEP_JUMP,    /* target */
	STEP_MATCHED, /* a wait ends: it had to wait */
	STEP_MISMATCH /* a wait ends: it had not */
};

struct bucket {
	struct spinlock *lock;
	struct line *lock_line; /* with the count of waiters */
	struct line *head_line;
	struct thread *chain;
	int waiters;
};

struct step {
	enum step_kind kind;
	double ns;
	struct line *line;
	struct bucket *bucket;
	void (*call)(struct run *run, struct thread *thread);
	unsigned target;
};

struct thread {
	struct spin_waiter waiter; /* first: a lock knows only this */
	struct step steps[MODEL_MAX_STEPS];
	unsigned step, step_count;
	unsigned index;
	uint64_t random;
	double start_ns; /* when it begins */
	uint64_t event;	 /* number of the event that it waits for; 0: none */
	double lock_asked;
	double lock_ns; /* of this wait */
	/* A futex wait: */
	const unsigned *word; /* NULL: `mismatches` says it, and the line is always at hand */
	struct line *word_line;
	unsigned expected;
	bool mismatches;
	struct thread *chain_next;
	bool queued, woken, asleep;
	/* A futex wake: */
	const unsigned *wake_word;
	struct thread *taken;
	/* Of its CPU: */
	struct thread *run_next;
	bool runnable; /* stands in the CPU's queue */
	uint64_t operations;
	/* Of the workload: */
	unsigned state, position, count;
	struct line own_line;
	unsigned own_word;
	struct thread *own_next;
	bool flag;
	struct thread *other;
	double pause_ns, looks_until, queued_since;
	double looks_since_ns, look_asked_ns, look_seen_ns;
	uint64_t taken_before;
	unsigned yields, more_turns;
	bool spinning, patient, learns, granted, designated;
};

struct cpu {
	struct thread *current;
	struct thread *first, *last; /* runnable */
	double until;		     /* then one of these may go on */
};

struct workload_calls {
	void (*setup)(struct run *run);
	/* The next operation's steps; counts the last one. */
	void (*next)(struct run *run, struct thread *thread);
};

struct event {
	double time;
	uint64_t number;
	struct thread *thread;
};

struct run {
	struct model_parameters p;
	const struct model_design *design;
	const struct workload_calls *workload;
	struct interconnect net;
	double slow; /* of computing */
	double now;
	struct event *events;
	unsigned event_count, event_room;
	uint64_t event_number;
	struct thread *threads;
	unsigned thread_count;
	struct cpu *cpus;
	struct bucket *buckets;
	struct spinlock *locks;
	struct line *lines;
	unsigned bucket_count;
	struct line refs_line; /* the private hash's count of its users */
	struct line user_line; /* of the workload: one word that all use */
	unsigned user_word;
	struct thread *user_owner, *user_queue;
	bool designated; /* a woken waiter is on its way to the mutex */
	double handed;	 /* the mutex, to a waiter: when */
	uint64_t taken;	 /* so often at once */
	int rushed;	 /* early looks that found it rushed, of the last so many */
	int patience;	 /* the patient pause is doubled so often */
	double
	    words_of_thread; /* address / this: the thread whose node the word is on; 0: node 0 */
	struct line *pages;  /* counts of the pages that shared futexes lie on */
	unsigned warm;	     /* threads that are warm */
	bool measuring;
	double started_ns;
	uint64_t operations, waits, mismatches, wakes, empty_wakes, bucket_locks, transfers_before;
	double lock_ns[2];
	uint64_t lock_count[2];
	uint64_t sleeps, wakeups; /* of the whole run */
	const char *fault;
};

double sim_random(struct thread *thread);
/* Steps are added at the end of the thread's program; the number is for targets. */
unsigned sim_add(struct thread *thread, enum step_kind kind);
void sim_compute(struct thread *thread, double ns);
void sim_line(struct thread *thread, enum step_kind kind, struct line *line);
unsigned sim_bucket(struct thread *thread, enum step_kind kind, struct bucket *bucket);
void sim_call(struct thread *thread, void (*call)(struct run *run, struct thread *thread));
void sim_target_here(struct thread *thread, unsigned step);
/* Goes on at that time; an event that it had before is void. */
void sim_schedule(struct run *run, struct thread *thread, double time);
void sim_count_operation(struct run *run, struct thread *thread);
struct bucket *sim_bucket_of(struct run *run, uint64_t address);

uint64_t sim_mix(uint64_t x);

/* world.c */
void sim_set_up(struct run *run);
/* What does not add up; NULL if all does. */
const char *sim_check_books(const struct run *run);

/* steps.c */
void sim_make_runnable(struct run *run, struct thread *thread);
/* The thread's event has come. */
void sim_go_on(struct run *run, struct thread *thread);

/* designs.c: a system call's steps. */
void futex_wait_steps(struct run *run, struct thread *thread, uint64_t address, bool may_sleep);
void futex_wake_steps(struct run *run, struct thread *thread, uint64_t address);

extern const struct workload_calls workload_hash, workload_bounce, workload_chat, workload_mutex;
#endif
