/*
 * A discrete-event simulator of the kernel's futex hash buckets, for machines that nobody has at
 * hand: CPUs, cachelines that move between them, queued spin locks, and futex operations that are
 * little programs of such accesses.
 *
 *     main.c                 options
 *     validate.c predict.c   the model against published figures, and where there are none
 *     published.c machines.c these figures, and the machines they came from
 *     workloads.c            what threads do
 *     mutex.c ownline.c      the same with glibc's mutex, and with ownline's
 *     designs.c              a futex operation as steps, one program per design of the kernel's
 *     sim.c world.c steps.c  events; what a run begins and ends with; the steps' meaning
 *     spinlock.c  line.c     a queued spin lock; a cacheline
 *
 * Each file uses only those beside and below it. All times are nanoseconds. A run depends on its
 * parameters and its seed alone.
 */
#ifndef OWN_MODEL_H
#define OWN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* patient_ns and count_all: as ownline chooses them for so many CPUs. */
#define MODEL_BY_CPUS	  (-1)
#define MODEL_MAX_CPUS	  512
#define MODEL_MAX_THREADS 4096
#define MODEL_MAX_STEPS	  48

enum model_lock { LOCK_GLOBAL, LOCK_BUCKET };
enum model_refs { REFS_NONE, REFS_SHARED, REFS_PER_CPU };
enum model_check { CHECK_LOCKED, CHECK_BEFORE, CHECK_TRYLOCK };
enum model_layout { LAYOUT_PACKED, LAYOUT_TOGETHER, LAYOUT_APART };
enum model_user { USER_GLIBC, USER_OWNLINE };

/* A kernel's way to do it, and the lock library above it. */
struct model_design {
	const char *name;
	const char *help;
	enum model_lock lock;
	enum model_refs refs;	  /* how a private hash counts its users */
	enum model_check check;	  /* when a wait compares the user's word */
	enum model_layout layout; /* lock and chain head: several buckets, one, or half on a line */
	enum model_user user;
	bool counts_waiters; /* waits announce themselves, so that wakes can skip the lock */
	bool per_node;	     /* a part of the buckets per node, for the words that are used there */
	bool back_pointer;   /* each call reads a pointer beside the chain head, without the lock */
};

enum model_workload { WORKLOAD_HASH, WORKLOAD_BOUNCE, WORKLOAD_CHAT, WORKLOAD_MUTEX };

struct model_parameters {
	/* The machine. */
	double cpus;
	double node_cpus;  /* CPUs of a node: a chip, or the part of it with a cache of its own */
	double hit_ns;	   /* read of a line that is in the CPU's own cache */
	double atomic_ns;  /* atomic change of a line that only this CPU's cache has */
	double local_ns;   /* a line comes from another CPU of the node */
	double remote_ns;  /* ... of another node */
	double busy_ratio; /* how much longer computing takes once more than two CPUs are busy */
	double jitter;	   /* per cent by which computing is shorter or longer, at random */
	/* The kernel. */
	double call_ns;	  /* a wait that mismatches, without what it does to shared lines */
	double user_ns;	  /* of these: reading the user's word (SMAP) */
	double shared_ns; /* what finding the key of a shared futex adds */
	double queue_ns;  /* what a wait that matches adds: queueing itself, and a timer */
	double wake_ns;	  /* making one thread runnable */
	double switch_ns; /* from one thread to the next on a CPU */
	double yield_ns;  /* sched_yield that finds nobody else */
	double idle_ns;	  /* until an idle CPU runs a thread made runnable */
	double slice_ns;  /* a thread may run so long while another wants its CPU */
	double buckets;
	double bucket_bytes; /* of the packed layout */
	/* The workload. */
	double threads;
	double words;	   /* hash: per thread */
	double mismatch;   /* hash: per cent of the waits */
	double shared;	   /* hash: 1: shared futexes */
	double room;	   /* chat: members of a room */
	double message_ns; /* chat: computing per message */
	double section_ns; /* mutex: inside */
	double outside_ns; /* mutex: outside */
	double look_ns;	   /* mutex, ownline: looks at the mutex before it yields */
	double yields;	   /* mutex, ownline: yields before it queues */
	double patient_ns; /* mutex, ownline: the shortest pause before a patient look; or
			      MODEL_BY_CPUS */
	double count_all;  /* mutex, ownline: 1: spinners' takes tell that it is rushed, too; or
			      MODEL_BY_CPUS */
	double one_wake;   /* mutex, ownline: 1: nobody is woken while somebody is on his way */
	double spin_ns;	   /* mutex, ownline: longest look at the own word before waiting */
	double warm_up;	   /* operations per thread that are not counted */
	double operations; /* operations per thread that are */
	double seed;
};

struct model_result {
	double ns;	   /* simulated time in which the operations were counted */
	double operations; /* of all threads */
	double per_thread; /* operations per second and thread */
	double total;	   /* operations per second */
	double waits;	   /* futex waits, mismatched ones included */
	double mismatches;
	double wakes;
	double empty_wakes;  /* wakes that saw no waiter and took no lock */
	double bucket_locks; /* bucket locks taken */
	double lock_ns[2];   /* mean time to get the bucket lock: matched, mismatched waits */
	double transfers;    /* cachelines moved, per operation */
};

/*
 * NULL, or why a run is worth nothing: two owners at once, a lost thread, a count that does not add
 * up; or that it was given up, which is no fault of the model.
 */
extern const char model_too_long[];
const char *model_run(const struct model_parameters *parameters, const struct model_design *design,
		      enum model_workload workload, struct model_result *result);

extern const struct model_design model_designs[];
extern const unsigned model_design_count;
const struct model_design *model_find_design(const char *name);

/* The published figures against the model's, as Markdown; false if a calibration is off. */
bool model_validate(uint64_t seed);
/* Finds the machines' parameters from the figures that they are calibrated on, and prints them. */
void model_calibrate(uint64_t seed);
/* One machine of the validation by its name; false if there is none. */
bool model_machine(const char *name, struct model_parameters *parameters);
void model_print_machines(void);
#endif
