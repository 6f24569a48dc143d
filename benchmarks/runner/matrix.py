"""What is measured: the cells, and the peers that are measured in them."""

import fnmatch
from dataclasses import dataclass

FEW_ROUNDS = 3  # where rounds differ little: one thread, or futex calls alone
START_UP = 0.025  # seconds: to start a program and its threads, and to end them


@dataclass(frozen=True)
class Cell:
    group: str
    workload: str  # the words for own-workload
    pinned: bool
    contended: bool  # counts in the geometric mean
    sample: int  # every so many acquisitions are timed
    quick: bool  # part of --quick
    kernel: bool = False  # futex calls alone: no lock library is involved
    timed: bool = False  # nobody waits: compare CPU time, which other work cannot change
    start_up: float = START_UP
    length: float = 0  # seconds that it takes by its own count; 0: as long as it is told

    @property
    def name(self):
        return self.workload + (", pinned" if self.pinned else ", free")

    def rounds(self, rounds):
        """How many of the wanted rounds it needs."""
        return min(rounds, FEW_ROUNDS) if self.timed or self.kernel else rounds

    def expected(self, seconds):
        """What a run takes, about, on a quiet machine."""
        return (self.length or seconds) + self.start_up


@dataclass(frozen=True)
class Peer:
    name: str
    program: str
    options: tuple = ()
    preload: bool = False
    package: str = ""  # to install if the program is missing


PEERS = [
    Peer("glibc", "own-workload"),
    Peer("adaptive", "own-workload", ("--adaptive",)),
    Peer("nsync", "own-workload-nsync", package="libnsync-dev"),
    Peer("abseil", "own-workload-abseil", package="libabsl-dev"),
    Peer("parking_lot", "own-workload-parking_lot",
         package="librust-parking-lot-dev, cargo and rustc"),
    Peer("ownline", "own-workload", preload=True),
    Peer("ownline-native", "own-workload-native", package="(built with the library)"),
]

KERNEL = Peer("kernel", "own-workload")


class _Matrix:
    def __init__(self):
        self.cells = []

    def add(self, group, workload, quick="", contended=True, sample=61, pinnings="pf", **more):
        """quick and pinnings: any of p (pinned) and f (free)."""
        for letter in pinnings:
            self.cells.append(Cell(group, workload, letter == "p", contended, sample,
                                   letter in quick, **more))


def _hot(matrix):
    add = matrix.add
    for threads in (1, 2, 4, 8, 64, 200):
        contended = threads > 1
        add("hot mutex, short", f"mutex {threads} 50 100", contended=contended, timed=not contended,
            quick={2: "pf", 8: "pf", 64: "p"}.get(threads, ""))
    for threads in (2, 4, 8):
        add("hot mutex, empty", f"mutex {threads} 0 0", quick="p" if threads == 2 else "")
    for threads in (2, 8, 64, 200):
        add("hot mutex, long", f"mutex {threads} 500 500", quick="pf" if threads == 8 else "")
    add("hot mutex, long", "mutex 8 5000 5000", sample=7)
    for threads in (2, 8, 64):
        quick = "p" if threads == 8 else ""
        add("hot mutex, uneven", f"mixed {threads}", quick=quick)
        add("hot mutex, uneven", f"bursty {threads}", quick=quick)
        add("hot mutex, uneven", f"readers {threads}", quick=quick)
        add("hot mutex, uneven", f"sleeping {threads}", quick=quick)
    for threads in (2, 8):
        add("hot mutex, uneven", f"oversubscribed {threads}", quick="p" if threads == 2 else "")
    for threads in (2, 8, 64):
        quick = "p" if threads == 8 else ""
        add("attempts", f"trylock {threads} 50 100", quick=quick)
        add("attempts", f"timedlock {threads} 50 100", quick=quick)


def _many(matrix):
    add = matrix.add
    add("uncontended", "uncontended", contended=False, quick="p", timed=True)
    add("uncontended", "uncontended-mt", contended=False, quick="p", timed=True)
    add("uncontended", "sweep", contended=False, quick="p", timed=True)
    for threads in (2, 8, 64):
        add("many mutexes", f"packed {threads}", contended=False, quick="p" if threads == 2 else "")
        add("many mutexes", f"striped {threads} 16", quick="p" if threads == 8 else "")
        # It fills a million mutexes first.
        add("many mutexes", f"random {threads}", contended=False, start_up=0.15,
            quick="p" if threads == 2 else "")


def _conditions(matrix):
    add = matrix.add
    for threads in (2, 4, 64):
        add("hand-off", f"handoff {threads}", sample=5, quick={2: "pf"}.get(threads, ""))
    for sides in ("1 1", "4 4", "32 32", "1 8", "8 1"):
        add("bounded queue", f"queue {sides}", sample=13, quick={"1 1": "p", "4 4": "pf"}.get(
            sides, ""))
        add("bounded queue", f"queue {sides} 64 1", sample=13,
            quick="p" if sides == "4 4" else "")
    for threads in (2, 8, 32, 64, 200):
        add("barrier", f"barrier {threads}", sample=5, quick={2: "p", 32: "p"}.get(threads, ""))
    add("broadcast", "broadcast 8", sample=5)
    add("broadcast", "broadcast 1000", sample=5, quick="p", start_up=0.13)
    add("chat", "chat 200", sample=5, quick="pf")
    add("chat", "volano", sample=5, quick="p")
    add("chat", "chat-processes", sample=5, quick="f", start_up=0.25)
    add("thread pool", "pool 2 2", sample=5)
    add("thread pool", "pool 4 16", sample=5, quick="p")
    add("thread pool", "pool 32 64", sample=5)
    add("short threads", "spawn 200 1", sample=1, quick="f")


def _kernel(matrix):
    def add(workload, quick="", pinnings="p", **more):
        matrix.add("kernel", workload, quick=quick, contended=False, sample=61, kernel=True,
                   pinnings=pinnings, **more)

    for threads in (1, 10, 40, 80):
        add(f"hash {threads}", quick="p" if threads == 10 else "")
        add(f"hash {threads} 1024 100 1")
    for buckets in (1, 2, 16, 256):
        add(f"hash 10 1024 100 0 {buckets}")
    for mismatch in (0, 25, 50, 75):
        add(f"hash 10 1024 {mismatch}", quick="p" if mismatch == 50 else "")
    for where in (0, 1):
        add(f"buckets 2 {where}")
        add(f"pairs 8 {where}")
    add("timer 100 2000", quick="p", length=0.4)
    add("timer 100 20000", length=3.8)
    add("bounce", quick="pf", pinnings="pf")


def cells(quick, pattern):
    matrix = _Matrix()
    _many(matrix)
    _hot(matrix)
    _conditions(matrix)
    _kernel(matrix)
    wanted = [cell for cell in matrix.cells if cell.quick or not quick]
    if pattern:
        if not any(letter in pattern for letter in "*?["):
            pattern = f"*{pattern}*"
        wanted = [cell for cell in wanted
                  if fnmatch.fnmatch(f"{cell.group}: {cell.name}", pattern)]
    return wanted
