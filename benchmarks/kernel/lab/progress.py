"""Says what is being done and for how long; runs commands with their output in a log."""

import contextlib
import fcntl
import subprocess
import sys
import threading
import time

from .failure import Failure

EVERY = 10  # seconds between lines where there is no terminal
_lock = threading.Lock()


def say(text):
    with _lock:
        print(f"kernel-lab: {text}", flush=True)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def remaining(seconds, done, total):
    """Words for the time that is left, going by what is done; empty as long as that tells nothing."""
    if not 0 < done < total:
        return ""
    return f"about {clock(seconds * (total - done) / done)} left"


class Left:
    """Says after each of several like things how many are done, and when all will be."""

    def __init__(self, what, total):
        self.what = what
        self.total = total
        self.done = 0
        self.began = time.monotonic()

    def one_done(self):
        self.done += 1
        more = remaining(time.monotonic() - self.began, self.done, self.total)
        if more:
            say(f"{self.what}: {self.done} of {self.total} done, {more}")


@contextlib.contextmanager
def step(what, detail=lambda: ""):
    """Announces a step, says every few seconds how far it is, and at its end what it took."""
    began = time.monotonic()
    over = threading.Event()

    def tell():
        while not over.wait(EVERY):
            more = detail()
            say(f"  {what}: {clock(time.monotonic() - began)}" + (f", {more}" if more else ""))

    say(what)
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
    took = time.monotonic() - began
    if took > 2:
        say(f"  {what}: done, {clock(took)}")


def run(command, what, log, folder=None, stdin=None, environment=None):
    """Fails with the log's name and last lines."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"\n$ {' '.join(map(str, command))}\n")
        file.flush()
        try:
            done = subprocess.run(command, cwd=folder, stdin=stdin or subprocess.DEVNULL,
                                  stdout=file, stderr=subprocess.STDOUT, env=environment,
                                  check=False)
        except FileNotFoundError:
            raise Failure(f"no {command[0]}; scripts/setup lab installs it") from None
    if done.returncode:
        with open(log, encoding="utf-8", errors="replace") as file:
            last = file.read().strip().splitlines()[-5:]
        print("\n".join(last), file=sys.stderr)
        raise Failure(f"{what} failed (status {done.returncode}); log: {log}")


@contextlib.contextmanager
def alone(path, what):
    """Only one process at a time in the folder."""
    path.mkdir(parents=True, exist_ok=True)
    with open(path / "lock", "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another kernel-lab that uses {what}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
