"""Runs own-workload, and watches what else the machine does meanwhile."""

import json
import os
import resource
import subprocess
import time

UNSUPPORTED = 77  # own-workload's exit status when the library lacks the operation


BUSY = 0.05  # of the machine, used by others: from here on figures mislead
# Nanoseconds of a cacheline's way: within a core or a cache it is shorter, between sockets longer.
FAR = 75


def _busy_seconds():
    """CPU time of the whole machine that was not idle, including what the hypervisor took."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK")


def _own_seconds():
    """CPU time of this process and of its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Watch:
    """What else the machine does while a block runs. After the block: `elapsed` seconds, and
    `foreign`, the share of all CPU time (0 to 1) that other work used."""

    def __enter__(self):
        self._began, self._others = time.monotonic(), _busy_seconds() - _own_seconds()
        return self

    def __exit__(self, *_):
        self.elapsed = time.monotonic() - self._began
        others = _busy_seconds() - _own_seconds() - self._others
        self.foreign = max(0.0, others) / (self.elapsed * os.cpu_count())

    def figures(self):
        """For the run that was watched."""
        return {"elapsed": round(self.elapsed, 3), "foreign_cpu": round(self.foreign, 3)}


class Failure(Exception):
    pass


class Measurer:
    def __init__(self, bin_dir, library, nice=0):
        self.bin_dir = bin_dir
        self.library = library
        self.nice = nice

    def available(self, peer):
        return (self.bin_dir / peer.program).exists() and (not peer.preload or
                                                            self.library.exists())

    def cacheline(self):
        """How many nanoseconds a cacheline takes from one CPU to another, in a few milliseconds;
        None where it cannot be told: on one CPU, or with programs that are older than this."""
        try:
            done = self._call([str(self.bin_dir / "own-workload"), "--json", "cacheline"], None, 60)
            return json.loads(done.stdout)["one_way_ns"] if done.returncode == 0 else None
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            return None

    def _call(self, command, environment, limit):
        return subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=limit, check=False, preexec_fn=lambda: os.nice(self.nice))

    def run(self, cell, peer, seconds, counted=False):
        """A dictionary of figures, or None where the library lacks the operation."""
        command = [str(self.bin_dir / peer.program), "--json", *peer.options,
                   "--pin" if cell.pinned else "--no-pin", "--seconds", str(seconds)]
        command += ["--futex"] if counted else ["--sample", str(cell.sample)]
        if cell.length:
            # Ends by its own count.
            command[command.index("--seconds") + 1] = "60"
        command += cell.workload.split()
        environment = dict(os.environ)
        if peer.preload:
            environment["LD_PRELOAD"] = str(self.library)
        try:
            with Watch() as watch:
                done = self._call(command, environment, 60 + 20 * seconds)
        except subprocess.TimeoutExpired as error:
            raise Failure("hung") from error
        if done.returncode == UNSUPPORTED:
            return None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise Failure(f"exit status {done.returncode} {last}".strip())
        try:
            result = json.loads(done.stdout)
        except ValueError as error:
            raise Failure("unreadable output") from error
        result.update(watch.figures())
        return result
