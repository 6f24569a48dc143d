"""Boots a kernel in QEMU with the benchmark as its first process, and returns what it printed."""

import gzip
import os
import queue
import stat
import subprocess
import threading
import time

from .failure import Failure

QEMU = "qemu-system-x86_64"
# mitigations=off: what they cost depends on the CPU, and the emulated one has no such faults.
COMMAND_LINE = ("console=ttyS0 panic=-1 loglevel=4 nokaslr mitigations=off "
                "ownline.settle={settle} ownline.jobs={jobs}")
LONGEST_COMMAND_LINE = 2047  # x86's COMMAND_LINE_SIZE, without the zero at its end
MEMORY_MB = 512
# Without cmpxchg16b: under QEMU 7.2 a guest died right behind one, in the slab allocator, with flags
# that cannot be. No path of futexes uses it.
CPU = "qemu64,-cx16"


def _entry(number, name, mode, data=b"", device=(0, 0)):
    """A file of the cpio format "newc"."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    head += name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def write_initramfs(path, programs):
    """programs: name in the guest -> file here; the first process is "init"."""
    entries = [_entry(1, "dev", stat.S_IFDIR | 0o755),
               _entry(2, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
               _entry(3, "proc", stat.S_IFDIR | 0o755)]
    for number, (name, program) in enumerate(programs.items(), 4):
        entries.append(_entry(number, name, stat.S_IFREG | 0o755, program.read_bytes()))
    entries.append(_entry(0, "TRAILER!!!", 0))
    path.write_bytes(gzip.compress(b"".join(entries), 6, mtime=0))


class Machine:
    """counted: one CPU whose clock advances a nanosecond per instruction; otherwise several CPUs
    that run truly in parallel, and whose clock is the host's."""

    def __init__(self, counted, cpus=1, settle=0):
        self.counted = counted
        self.settle = settle  # seconds of the guest's time before the jobs
        self.cpus = 1 if counted else cpus

    def options(self):
        if self.counted:
            return ["-accel", "tcg,thread=single", "-smp", "1", "-icount", "shift=0,sleep=off"]
        return ["-accel", "tcg,thread=multi", "-smp", str(self.cpus)]

    def name(self):
        return "counted" if self.counted else f"{self.cpus} CPUs"


def _pump(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def run(image, initramfs, jobs, machine, log, patience, on_line=None):
    """The lines that the guest printed. patience: seconds without any before it is given up."""
    words = COMMAND_LINE.format(jobs=";".join(jobs), settle=machine.settle)
    if len(words) > LONGEST_COMMAND_LINE:
        raise Failure(f"{len(jobs)} jobs do not fit on a kernel's command line")
    command = [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
               "-serial", "stdio", "-cpu", CPU, "-m", str(MEMORY_MB), *machine.options(),
               "-kernel", str(image), "-initrd", str(initramfs), "-append", words]
    seen = []
    with open(log, "w", encoding="utf-8") as file:
        file.write(" ".join(command) + "\n")
        try:
            guest = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, errors="replace",
                                     env={**os.environ, "LC_ALL": "C"})
        except FileNotFoundError:
            raise Failure(f"no {QEMU}; scripts/setup lab installs it") from None
        lines = queue.Queue()
        threading.Thread(target=_pump, args=(guest.stdout, lines), daemon=True).start()
        try:
            while (line := lines.get(timeout=patience)) is not None:
                file.write(line)
                file.flush()
                seen.append(line.rstrip())
                if on_line:
                    on_line(seen[-1])
        except queue.Empty:
            raise Failure(f"the guest has been silent for {patience} s; log: {log}") from None
        finally:
            guest.kill()
            guest.wait()
    return seen
