#!/usr/bin/env python3
"""ownline trace and the runtime's own counters must agree to the last call on the same run.

The runtime's calls are those whose innermost frame lies in its library; the C library makes
others, for pthread_join for one.

With "unwind", stacks without frame pointers must lead to the program's own function, too.

usage: agreement.py OWNLINE PROGRAM [unwind]
"""
import json
import os
import subprocess
import sys
import tempfile

OUTCOMES = ("woken", "mismatch", "timeout", "interrupted")


def count_trace(report):
    counts = dict.fromkeys(OUTCOMES + ("other", "issued", "empty"), 0)
    for row in report["sites"]:
        if not row["frames"] or not row["frames"][0]["module"].startswith("libownline"):
            continue
        for outcome in OUTCOMES + ("other",):
            counts[outcome] += row["waits"][outcome]
        counts["issued"] += row["wakes"]["total"]
        counts["empty"] += row["wakes"]["woke_nobody"]
    return counts


def finds_program(report):
    return any(row["frames"][0]["module"].startswith("libownline")
               and any(frame["name"].startswith("take_turns+") for frame in row["frames"])
               for row in report["sites"] if row["frames"])


def count_runtime(report):
    waits, wakes = report["totals"]["waits"], report["totals"]["wakes"]
    counts = {outcome: waits[outcome]["count"] for outcome in OUTCOMES}
    return counts | {"other": 0, "issued": wakes["issued"], "empty": wakes["empty"]}


def main():
    ownline, program = sys.argv[1:3]
    ready = subprocess.run([ownline, "trace", "--check"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    if ready.returncode != 0:
        print(f"skipped: {ready.stderr.strip()}")
        return 77
    with tempfile.TemporaryDirectory(prefix="ownline-trace-") as folder:
        traced, counted = os.path.join(folder, "trace"), os.path.join(folder, "run")
        subprocess.run(
            [ownline, "trace", "--by", "site", "--report", "json", "--output", traced, "--",
             ownline, "run", "--report", "json", "--output", counted, "--", program],
            check=True, timeout=50)
        with open(traced, encoding="utf-8") as file:
            trace = json.load(file)
        with open(counted, encoding="utf-8") as file:
            runtime = json.load(file)
    kernel, own = count_trace(trace), count_runtime(runtime)
    print(f"kernel  {kernel}\nruntime {own}")
    lost = {name: value for name, value in trace["incomplete"].items() if value}
    if lost:
        print(f"incomplete: {lost}")
        return 1
    if own["woken"] + own["timeout"] == 0:
        print("the program never waited: nothing was compared")
        return 1
    if "unwind" in sys.argv[3:] and not finds_program(trace):
        print("no stack leads from the library to take_turns")
        return 1
    return 0 if kernel == own else 1


sys.exit(main())
