"""Runs a program on one lock library, and reads what it cost."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from runner import measure
from real import parse

NAP = 0.01
LIMIT = 60  # seconds that starting, stopping and any load may take beyond what was asked for


@dataclass(frozen=True)
class Peer:
    name: str
    library: Path = None  # to preload; None: the C library's own locks
    options: str = ""  # OWNLINE_OPTIONS

    def environment(self, extra=None, report=None):
        """extra: variables of the program; an LD_PRELOAD among them comes behind the library."""
        result = {key: value for key, value in os.environ.items()
                  if key not in ("LD_PRELOAD", "OWNLINE_OPTIONS")}
        result.update(extra or {})
        result["LC_ALL"] = "C"
        if self.library:
            others = result.get("LD_PRELOAD")
            result["LD_PRELOAD"] = f"{self.library}:{others}" if others else str(self.library)
            options = [self.options, f"report=json:output={report}.%p" if report else ""]
            result["OWNLINE_OPTIONS"] = ":".join(filter(None, options))
        return result


def _ended(process):
    """Its number stays taken until it is reaped, so that no signal meets a stranger."""
    return process.returncode is not None or os.waitid(
        os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _reap(process):
    """Resource usage of a process that has ended; what is left of its group ends now."""
    if process.returncode is not None:
        return None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _holds_within(seconds, condition):
    """Whether the condition held in time. Naps are counted, not the clock: when this process is
    stopped, so are the others, and that time is nobody's fault."""
    for _ in range(int(seconds / NAP)):
        if condition():
            return True
        time.sleep(NAP)
    return condition()


def end(process, patience=30):
    """By SIGTERM, then by SIGKILL, its whole process group."""
    if not _ended(process):
        os.kill(process.pid, signal.SIGTERM)
        _holds_within(patience, lambda: _ended(process))
    _reap(process)


@contextlib.contextmanager
def started(command, environment, folder, log):
    """A process with a group of its own, in `folder`; it has ended when the block is left."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
    try:
        yield process
    finally:
        end(process)


def _last_line(log):
    lines = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "no output"


def until(condition, process, log, what, limit=LIMIT):
    state = {"holds": False}

    def decided():
        state["holds"] = condition()
        return state["holds"] or _ended(process)

    if not _holds_within(limit, decided):
        raise measure.Failure(f"{what} not ready after {limit} s: {_last_line(log)}")
    if not state["holds"]:
        raise measure.Failure(f"{what} ended early: {_last_line(log)}")


def answers(address):
    """Whether somebody listens: a path, or a port of this machine."""
    family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
    where = ("127.0.0.1", address) if isinstance(address, int) else str(address)
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(where) == 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _usage(pid):
    """CPU seconds of a process, and the context switches of its threads that live."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    voluntary = involuntary = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            for line in (task / "status").read_text(encoding="ascii").splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    voluntary += int(line.split()[1])
                elif line.startswith("nonvoluntary_ctxt_switches"):
                    involuntary += int(line.split()[1])
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return {"cpu_seconds": cpu, "voluntary_switches": voluntary,
            "involuntary_switches": involuntary}


def _check_library(pid, peer):
    maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    if peer.library and peer.library.resolve().name not in maps:
        raise measure.Failure(f"process {pid} runs without {peer.library}")


class Launcher:
    def __init__(self, ownline, seconds):
        self.ownline = ownline  # the command, for `ownline trace`
        self.seconds = seconds

    def run(self, program, peer, prepared, counted):
        """prepared: the folder that program.prepare() has filled. counted: with the kernel's count
        of futex calls, which slows them, so that the other figures do not count."""
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=prepared.parent))
        try:
            with measure.Watch() as watch:
                run = program.measure(self, peer, prepared, folder, counted)
            run.update(watch.figures())
            return run
        except parse.Unreadable as error:
            raise measure.Failure(str(error)) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def call(self, command, environment, folder, what):
        """Standard output of a command that must succeed, and its resource usage."""
        log = folder / f"{what}.log"
        with started(command, environment, folder, log) as process:
            if not _holds_within(self.seconds * 4 + LIMIT, lambda: _ended(process)):
                raise measure.Failure(f"{what} hung")
            usage = _reap(process)
        if process.returncode:
            raise measure.Failure(f"{what}: exit status {process.returncode}: {_last_line(log)}")
        return log.read_text(encoding="utf-8", errors="replace"), usage

    def alone(self, program, peer, prepared, folder, counted):
        """A program that is its own load: the figures are of its whole life."""
        report = folder / "report"
        environment = peer.environment(program.environment, report if counted else None)
        command = program.command(prepared, folder, self.seconds)
        if counted:
            # The tracer runs on the C library's locks and is not counted itself.
            words = [f"{key}={environment[key]}" for key in environment
                     if os.environ.get(key) != environment[key]]
            gone = [word for key in ("LD_PRELOAD", "OWNLINE_OPTIONS") for word in ("-u", key)]
            command = [self.ownline, "trace", "-r", "json", "-b", "none", "-o",
                       str(folder / "trace.json"), "--", "env", *gone, *words, *command]
            environment = dict(os.environ)
        text, usage = self.call(command, environment, folder, program.short)
        run = program.parse(text, self.seconds)
        run.update({"cpu_seconds": usage.ru_utime + usage.ru_stime,
                    "voluntary_switches": usage.ru_nvcsw,
                    "involuntary_switches": usage.ru_nivcsw})
        if counted:
            run["futex"] = read_trace(folder / "trace.json")
        if counted and peer.library:
            run["own"] = read_reports(folder)
        return run

    def served(self, program, peer, prepared, folder, counted):
        """A server, and a load that always runs on the C library's locks."""
        report = folder / "report"
        environment = peer.environment(program.environment, report if counted else None)
        plain = Peer("glibc").environment()
        address = program.address(folder)
        log = folder / "server.log"
        with started(program.server(prepared, folder, address), environment, folder,
                     log) as server:
            until(lambda: answers(address), server, log, program.short)
            _check_library(server.pid, peer)
            self.call(program.load(folder, address, 0.5), plain, folder, "warm-up")
            with self.traced(server.pid, folder) if counted else contextlib.nullcontext():
                before = _usage(server.pid)
                text, _ = self.call(program.load(folder, address, self.seconds), plain, folder,
                                    "load")
                after = _usage(server.pid)
        run = program.parse(text, self.seconds)
        run.update({key: after[key] - before[key] for key in before})
        if counted:
            run["futex"] = read_trace(folder / "trace.json")
        if counted and peer.library:
            run["own"] = read_reports(folder)
        return run

    @contextlib.contextmanager
    def traced(self, pid, folder):
        output, log = folder / "trace.json", folder / "trace.log"
        command = [self.ownline, "trace", "-r", "json", "-b", "none", "-i", "0.2", "-o",
                   str(output), "-p", str(pid)]
        with started(command, dict(os.environ), folder, log) as tracer:
            until(lambda: output.exists() and output.stat().st_size > 0, tracer, log,
                  "ownline trace")
            yield
        # Ended by SIGTERM, it has written its last report.


def read_trace(path):
    try:
        lines = Path(path).read_text(encoding="utf-8").strip().splitlines()
        report = json.loads(lines[-1])
    except (OSError, IndexError, ValueError) as error:
        raise measure.Failure("ownline trace left no report") from error
    outcomes = report["waits"]["outcomes"]
    return {"waits": report["waits"]["started"], "mismatches": outcomes["mismatch"]["count"],
            "wakes": report["wakes"]["calls"]}


def read_reports(folder):
    """Sum of what the runtime itself counted, in all processes that ended by themselves."""
    total = {"waits": 0, "mismatches": 0}
    for path in folder.glob("report.*"):
        waits = json.loads(path.read_text(encoding="utf-8"))["totals"]["waits"]
        total["waits"] += waits["count"]
        total["mismatches"] += waits["mismatch"]["count"]
    return total
