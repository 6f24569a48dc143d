"""What bounds the cells that miss a demand: the names under which docs/benchmarks.md explains it."""

from fnmatch import fnmatch

UNKNOWN = "not known"

# Demands, a pattern of workloads, the name. The first that fits counts.
BOUNDS = (
    ("share fewer", "*", "few waits"),
    ("glibc best cpu", "sweep*", "many mutexes"),
    ("glibc best cpu", "random *", "many mutexes"),
    ("glibc best cpu", "uncontended*", "a call"),
    ("best cpu", "mutex 1 *", "a call"),
    ("glibc best cpu", "packed *", "a call"),
    ("best cpu", "striped *", "a call"),
    ("best cpu tail", "mutex * 0 0", "empty sections"),
    ("best cpu tail", "mutex * 50 100", "brief sections"),
    ("best cpu", "readers *", "brief sections"),
    ("best cpu", "bursty *", "brief sections"),
    ("best cpu", "timedlock *", "brief sections"),
    ("tail", "bursty [28]", "bursts"),
    ("*", "trylock *", "tries"),
    ("tail", "timedlock *", "timed locks"),
    ("best cpu tail", "sleeping *", "sleeping owners"),
    ("*", "oversubscribed *", "strangers"),
    ("best cpu", "broadcast 1000", "a crowd"),
    ("fairness", "queue *", "those who work"),
    ("fairness", "pool *", "those who work"),
    ("fairness", "chat*", "those who work"),
    ("fairness", "volano", "those who work"),
    ("tail", "packed *", UNKNOWN),
    ("fairness tail", "*", "time slices"),
)


def bound(demand, cell):
    """The name, or UNKNOWN."""
    workload = cell.rsplit(",", 1)[0]
    for demands, pattern, name in BOUNDS:
        if (demands == "*" or demand in demands.split()) and fnmatch(workload, pattern):
            return name
    return UNKNOWN
