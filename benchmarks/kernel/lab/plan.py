"""Which kernels are booted, in which machines, with which jobs."""

from . import debian, jobs, tree
from .boot import Machine

DEFAULT_KERNELS = ("6.1", "6.12", "6.18", "7.2", "newest")
# The first release whose buckets are laid out by fix D.
LAYOUT_SINCE = "7.2"
STOCK, PRIVATE_HASH, LAYOUT = "stock", "private-hash", "layout"
PRIVATE_HASH_SINCE = "6.17"
# Seconds of the guest's time: 7.2 and 7.3 went on with work of their own for about two. They cost
# nothing, since a guest that counts instructions skips the time in which it is idle.
SETTLE = 10


def variants():
    return (STOCK, tree.BASE, *tree.patch_names(), PRIVATE_HASH, LAYOUT)


class Boot:
    def __init__(self, kernel, variant, machine, job_list):
        self.kernel = kernel  # a Kernel
        self.variant = variant
        self.machine = machine
        self.jobs = job_list

    def name(self):
        return f"{self.kernel.label} {self.variant}, {self.machine.name()}"


class Kernel:
    """A release as Debian builds it, or as we build it: the unit of a results file."""

    def __init__(self, release, built):
        self.release = release
        self.built = built
        self.label = release
        self.images = {}  # variant -> folder
        self.about = {}

    def has_private_hash(self):
        return debian.version_key(self.release) >= debian.version_key(PRIVATE_HASH_SINCE)


def resolve(words, available):
    """Releases for the words of --kernels, in order, and those that Debian does not have now."""
    newest = max(available, key=debian.version_key)
    releases, missing = [], []
    for word in words:
        release = newest if word == "newest" else word
        if release not in available:
            missing.append(release)
        elif release not in releases:
            releases.append(release)
    return sorted(releases, key=debian.version_key), missing


def wants_stock(chosen):
    """A hash alone, without a kernel to choose it on, is measured on the stock ones."""
    return bool({STOCK, LAYOUT} & set(chosen)) or set(chosen) == {PRIVATE_HASH}


def stock_boots(kernel, chosen, workloads):
    private = PRIVATE_HASH in chosen and kernel.has_private_hash()
    return [Boot(kernel, STOCK, Machine(True, settle=SETTLE), jobs.counted(private, workloads))]


def built_boots(kernel, chosen, workloads, cpus, rounds):
    """One counted boot per variant; then rounds with several CPUs, the variants in turn."""
    wanted = [name for name in (tree.BASE, *tree.patch_names()) if name in chosen]
    boots, contended = [], []
    for variant in wanted:
        private = PRIVATE_HASH in chosen and variant == tree.BASE
        boots.append(Boot(kernel, variant, Machine(True), jobs.counted(private, workloads)))
        contended.append(Boot(kernel, variant, Machine(False, cpus), jobs.contended(private)))
    return boots + contended * rounds
