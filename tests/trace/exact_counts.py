#!/usr/bin/env python3
"""ownline trace must report exactly the futex calls that futex_calls makes.

usage: exact_counts.py OWNLINE FUTEX_CALLS
"""
import json
import os
import re
import subprocess
import sys
import tempfile

WAITS = ("woken", "mismatch", "timeout", "interrupted", "other")
WAKES = ("woke_some", "woke_nobody", "failed")

failures = 0


def check(what, got, wanted):
    global failures
    if got != wanted:
        print(f"{what}: got {got}, wanted {wanted}")
        failures += 1


def trace(ownline, program):
    with tempfile.NamedTemporaryFile(prefix="ownline-trace-") as file:
        run = subprocess.run(
            [ownline, "trace", "--by", "word,thread,site", "--report", "json",
             "--output", file.name, "--", program],
            stdout=subprocess.PIPE, timeout=50)
        check("exit status", run.returncode, 7)
        return json.loads(run.stdout), json.load(file)


def expected_returns(expected):
    """A stop adds an interruption that the program never sees, and the wait's second half."""
    sums = {name: sum(word[name] for word in expected["words"]) for name in WAITS + WAKES}
    sums["interrupted"] += expected["resumed"]
    return sums


def check_words(expected, report):
    seen = {(word["pid"], word["address"]): word for word in report["words"]}
    for wanted in expected["words"]:
        name = wanted["name"]
        row = seen.pop((wanted["pid"], wanted["address"]), None)
        if row is None:
            check(name, "no row", "a row")
            continue
        for outcome in WAITS:
            extra = expected["resumed"] if (name, outcome) == ("stopped", "interrupted") else 0
            check(f"{name} {outcome}", row["waits"][outcome], wanted[outcome] + extra)
        for outcome in WAKES:
            check(f"{name} {outcome}", row["wakes"][outcome], wanted[outcome])
        check(f"{name} threads woken", row["wakes"]["threads_woken"], wanted["threads_woken"])
        check(f"{name} in progress", row["in_progress"], wanted["in_progress"])
    check("words that nobody called", list(seen), [])


def check_totals(expected, report):
    sums = expected_returns(expected)
    in_progress = sum(word["in_progress"] for word in expected["words"])
    waits, wakes = report["waits"], report["wakes"]
    for outcome in WAITS:
        entry = waits["outcomes"][outcome]
        check(f"total {outcome}", entry["count"], sums[outcome])
        check(f"histogram of {outcome}", sum(b["count"] for b in entry["histogram"]),
              sums[outcome])
    check("waits started", waits["started"], sum(sums[name] for name in WAITS) + in_progress)
    check("waits in progress", waits["in_progress"], in_progress)
    check("waits resumed", waits["resumed"], expected["resumed"])
    for outcome in WAKES:
        check(f"total {outcome}", wakes["outcomes"][outcome]["count"], sums[outcome])
    check("requeues", report["operations"]["FUTEX_CMP_REQUEUE"],
          {"calls": expected["requeues"], "failed": expected["requeues"]})
    for name, value in report["incomplete"].items():
        # No stack can be read where the C library keeps no frame pointer at the call.
        if name != "stacks_failed":
            check(f"incomplete: {name}", value, 0)


def check_threads_and_sites(report):
    threads = {row["name"]: row for row in report["threads"]}
    check("waits of thread 'mismatching'", threads["mismatching"]["waits"]["total"], 1180)
    check("waits of thread 'waiting'", threads["waiting"]["waits"]["woken"], 50)
    for table in ("threads", "sites", "words"):
        for outcome in WAITS:
            check(f"sum of {table}: {outcome}",
                  sum(row["waits"][outcome] for row in report[table]),
                  report["waits"]["outcomes"][outcome]["count"])
    named = sum(row["waits"]["mismatch"] for row in report["sites"]
                if any(frame["name"].startswith("make_mismatches+") for frame in row["frames"]))
    if named < 1000:
        check("mismatches that name their function", named, "1000 or more")


def check_futile(ownline, program):
    """The sum that the text report makes of the two lines' time."""
    text = subprocess.run([ownline, "trace", "--by", "none", "--", program], timeout=50,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    times = [float(re.search(rf"^  {name} +\d+ +[\d.]+ % +([\d.]+) ", text, re.MULTILINE)[1])
             for name in ("mismatch", "woke_nobody")]
    seconds = float(re.search(r", ([\d.]+) s$", text, re.MULTILINE)[1])
    said = re.search(r"^futile calls .*: ([\d.]+) ms, ([\d.]+) % of the time of (\d+) CPU", text,
                     re.MULTILINE)
    check("CPUs", int(said[3]), os.cpu_count())
    if abs(float(said[1]) - sum(times)) > 0.0011:
        check("time of futile calls", said[1], sum(times))
    wanted = sum(times) / 10 / seconds / int(said[3])
    # Both are printed rounded.
    if abs(float(said[2]) - wanted) > 0.0101 + wanted * 0.0006 / seconds:
        check("share of futile calls", said[0], times)


def main():
    ownline, program = sys.argv[1:]
    ready = subprocess.run([ownline, "trace", "--check"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    if ready.returncode != 0:
        print(f"skipped: {ready.stderr.strip()}")
        return 77
    expected, report = trace(ownline, program)
    check_words(expected, report)
    check_totals(expected, report)
    check_threads_and_sites(report)
    check("CPUs in the JSON report", report["cpus"], os.cpu_count())
    check_futile(ownline, program)
    return 1 if failures else 0


sys.exit(main())
