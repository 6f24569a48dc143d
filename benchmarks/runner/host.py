"""The machine, the source's revision, and how far a measurement is."""

import hashlib
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def revision():
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


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


class Progress:
    def __init__(self, total, stream=sys.stdout):
        self.total = total
        self.stream = stream
        self.done = 0
        self.began = time.monotonic()

    def step(self):
        self.done += 1

    def left(self):
        if self.done == self.total:
            return "0:00"
        if not self.done:
            return "?"
        seconds = (time.monotonic() - self.began) / self.done * (self.total - self.done)
        return f"{int(seconds) // 60}:{int(seconds) % 60:02}"

    def show(self, name, text):
        print(f"[{self.done}/{self.total}, {self.left()} left] {name}: {text}", file=self.stream,
              flush=True)
