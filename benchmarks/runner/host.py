"""The machine, the source's revision, and how far a measurement is."""

import fcntl
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def revision():
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def measure_alone(parser, folder=tempfile.gettempdir()):
    """Until the returned file is closed, no other measurement of this user begins: two at once would
    spoil each other's figures."""
    path = Path(folder) / f"ownline-measures-{os.getuid()}"
    file = open(path, "a+", encoding="ascii")  # pylint: disable=consider-using-with
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        parser.error(f"process {file.read().strip() or '(unknown)'} measures already, and two at once "
                     "spoil each other's figures", "wait for it, or end it")
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def machine():
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"CPUs": f"{os.cpu_count()} x {model}", "kernel": platform.release(),
            "C library": " ".join(platform.libc_ver()), "source": revision(),
            "date": time.strftime("%Y-%m-%d %H:%M %Z")}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else "none"


def clock(seconds):
    """Minutes and seconds."""
    seconds = round(seconds)
    return f"{seconds // 60}:{seconds % 60:02}"


class Progress:
    """expected: seconds that all runs take, about; the pace so far corrects it."""

    def __init__(self, total, expected, stream=sys.stdout):
        self.total = total
        self.expected = expected
        self.stream = stream
        self.done = 0
        self.passed = 0.0  # of what was expected
        self.began = time.monotonic()

    def step(self, expected, what=""):
        self.done += 1
        self.passed += expected
        if self.stream.isatty():
            print(f"\r[{self.done}/{self.total}, {self.left()} left] {what}\x1b[K",
                  end="", file=self.stream, flush=True)

    def left(self):
        pace = (time.monotonic() - self.began) / self.passed if self.passed else 1
        return clock(max(0, self.expected - self.passed) * pace)

    def show(self, name, text):
        start = "\r\x1b[K" if self.stream.isatty() else ""
        print(f"{start}[{self.done}/{self.total}, {self.left()} left] {name}: {text}",
              file=self.stream, flush=True)
