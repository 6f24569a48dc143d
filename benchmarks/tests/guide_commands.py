#!/usr/bin/env python3
"""The commands in docs/kernel-vs-user.md's table of what was published run as they stand there.

Usage: guide_commands.py OWN-WORKLOAD OWN-BUCKET-MODEL

Both programs are run, for a moment each; of the others only the scripts' names, and the lab's
variants and the benchmarks' cells that they are given, are looked at. No figure is looked at.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GUIDE = ROOT / "docs/kernel-vs-user.md"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "benchmarks/kernel"))

from lab import plan  # noqa: E402

SHORT = {"own-workload": 'exec {program} --seconds 0.02 "$@"',
         "own-bucket-model": '[ "$*" = --validate ] && exec {program} "$@"\n'
                             'exec {program} "$@" --warm-up 1 --operations 2'}
NOT_HERE = "Linux 6.17 or later is needed"
failed = 0


def fault(text):
    global failed
    failed = 1
    print(text)


def commands():
    table = GUIDE.read_text(encoding="utf-8").partition("| published | here |")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    return [span for row in rows for span in re.findall(r"`([^`]+)`", row.split(" | ", 1)[-1])]


def run(command, path):
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, cwd=ROOT, timeout=100, check=False,
                          env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
    if done.returncode and NOT_HERE not in done.stdout:
        fault(f"{command}: status {done.returncode}: {done.stdout}")


def look_at(command):
    words = shlex.split(command)
    if not (ROOT / words[0]).is_file():
        fault(f"{command}: no such script")
    elif words[0] == "scripts/bench":
        run(f"{command} --list", "/")
    elif "--variants" in words:
        for name in words[words.index("--variants") + 1].split(","):
            if name not in plan.variants():
                fault(f"{command}: no variant {name}")


def main():
    spans = commands()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, program in zip(SHORT, sys.argv[1:]):
            short = Path(folder) / name
            short.write_text("#!/bin/bash\n" + SHORT[name].format(program=shlex.quote(str(Path(program).resolve())))
                             + "\n", encoding="utf-8")
            short.chmod(0o755)
        for span in spans:
            kind = next((name for name in (*SHORT, "scripts/") if name in span), None)
            counts[kind] = counts.get(kind, 0) + 1
            if kind in SHORT:
                run(span, folder)
            elif kind:
                look_at(span)
    for kind, least in (("own-workload", 12), ("own-bucket-model", 9), ("scripts/", 7)):
        if counts.get(kind, 0) < least:
            fault(f"only {counts.get(kind, 0)} commands with {kind} found in {GUIDE}")
    return failed


sys.exit(main())
