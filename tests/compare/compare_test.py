#!/usr/bin/env python3
"""ownline compare from outside, with a command whose figures are known.

usage: compare_test.py TEST OWNLINE KNOWN
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMEOUT = 100
failures = 0
ownline, known = "", ""
folder = Path()


def check(what, right, seen=""):
    global failures
    if not right:
        print(f"{what}: not so: {seen}")
        failures += 1


def run(*words, environment=None):
    return subprocess.run([ownline, "compare", *words], capture_output=True, text=True,
                          timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(environment or {})))


def run_json(*words, status=0, environment=None):
    done = run("--report", "json", *words, environment=environment)
    check(f"{words}: status {status}", done.returncode == status, (done.returncode, done.stderr))
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        sys.exit(f"{words}: no JSON: {error}: {done.stdout} {done.stderr}")
    return report, done.stderr


def variants(report):
    return {variant["name"]: variant for variant in report["variants"]}


def values(variant, runs, figure):
    return [entry[figure] for entry in variant[runs]]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def kernel_has_a_hash():
    """By what an unmodified two-threaded program sees of itself."""
    report, _ = run_json("-n", "1", "--no-trace", "-v", "asis", "-m", r"^here: (-?\d+)", "--", known, "slots")
    return values(variants(report)["asis"], "timed_runs", "metric")[0] >= 0


def counts_waits_of_all_processes():
    ready = subprocess.run([ownline, "trace", "--check"], capture_output=True, text=True, check=False)
    if ready.returncode != 0:
        skip(ready.stderr.strip())
    report, _ = run_json("-n", "2", "-t", "2", "-v", "asis,ownline,256", "--", known, "waits", "3000")
    check("traced", report["not_traced"] is None and report["traced"] == 2, report["not_traced"])
    for name, variant in variants(report).items():
        if not variant["available"]:
            continue
        for figure, wanted in (("waits", 3000), ("mismatched_waits", 3000), ("wakes", 6000),
                               ("mismatched_share_percent", 100), ("lost", 0)):
            seen = values(variant, "traced_runs", figure)
            check(f"{name}: {figure} is {wanted}, twice", seen == [wanted, wanted], seen)
        check(f"{name}: mismatched waits take time",
              all(value > 0 for value in values(variant, "traced_runs", "mismatched_time_s")))
        check(f"{name}: timed runs are not counted",
              all("waits" not in entry for entry in variant["timed_runs"]))
        check(f"{name}: rounds", values(variant, "timed_runs", "round") == [1, 2])
        check(f"{name}: verdict", "3000 (100.00 % of all)" in variant["verdict"], variant["verdict"])
        # These calls are the command's own: the library has made none of them.
        own = [entry.get("own_waits") for entry in variant["traced_runs"]]
        check(f"{name}: none are ownline's", own == [0 if name == "ownline" else None] * 2, own)


def tells_ownlines_own_waits():
    """Of what the kernel counts: the library's waits, and those that the command makes itself."""
    if subprocess.run([ownline, "trace", "--check"], capture_output=True, check=False).returncode != 0:
        skip("no ownline trace here")
    words = ("-n", "1", "-t", "2", "-v", "asis,ownline,ownline:spin=0", "--", known, "turns", "400", "300")
    report, _ = run_json(*words)
    for name, variant in variants(report).items():
        runs = variant["traced_runs"]
        if name == "asis":
            check("asis: nothing of ownline's", all("own_waits" not in entry for entry in runs), runs)
            check("asis: verdict", "own waits" not in variant["verdict"], variant["verdict"])
            continue
        for entry in runs:
            # The rest: 300 of the command's own, and pthread_join's, which may find the thread ended.
            rest = entry["waits"] - entry["own_waits"]
            check(f"{name}: the rest are the command's", 300 <= rest <= 301, entry)
            rest = entry["mismatched_waits"] - entry["own_mismatched_waits"]
            check(f"{name}: and mismatch", 300 <= rest <= 301, entry)
            share = 100 * entry["own_mismatched_waits"] / max(1, entry["own_waits"])
            check(f"{name}: their share", abs(entry["own_mismatched_share_percent"] - share) < 1e-6, entry)
            check(f"{name}: nothing is missing", entry["own_lost"] == 0, entry)
        total = sum(entry["own_waits"] for entry in runs)
        check(f"{name}: verdict", f" of {total} (" in variant["verdict"], variant["verdict"])
    parked = values(variants(report)["ownline:spin=0"], "traced_runs", "own_waits")
    check("without spinning it parks", min(parked) >= 100, parked)
    text = run("-n", "1", "-v", "asis,ownline", "--", known, "turns", "400", "300").stdout
    check("text", "of these, ownline's own waits" in text and "in all runs" in text, text)
    check("text fits", all(len(line) <= 80 for line in text.splitlines()[1:]), text)


def reads_the_metric():
    report, errors = run_json("-n", "2", "--no-trace", "-v", "asis,ownline", "-m", r"done: +(\d+)", "--",
                              known, "waits", "30")
    for name, variant in variants(report).items():
        seen = values(variant, "timed_runs", "metric")
        check(f"{name}: the last match counts", seen == [30, 30], seen)
        check(f"{name}: summary", variant["summary"]["metric"] == {"median": 30, "low": 30, "high": 30})
    check("progress", "ownline compare: run 1 of 4: round 1, asis" in errors, errors)
    check("why there are no counts", "--no-trace" in report["not_traced"], report["not_traced"])
    check("what ran", report["command"] == [known, "waits", "30"] and report["runs"] == 2)
    check("where", report["kernel"] == os.uname().release and report["host"] == os.uname().nodename)
    check("complete", report["complete"] is True and report["failure"] is None)
    # Fractions, signs, exponents; standard error counts as well.
    for text, wanted in (("x=-1.5e3;", -1500), ("x=.25;", 0.25), ("x=1;x=2;", 2)):
        report, _ = run_json("-n", "1", "--no-trace", "-v", "asis", "-m", "x=([^;]*)", "--", "sh", "-c",
                             f"echo '{text}' >&2")
        seen = values(variants(report)["asis"], "timed_runs", "metric")
        check(text, seen == [wanted], seen)
    text = run("-n", "1", "--no-trace", "-v", "asis", "-m", "x=(.)", "--", "echo", "x=7").stdout
    check("the text names the expression", "metric: x=(.)" in text, text)


def refused(what, *words, environment=None):
    """Status 2, nothing on standard output, one line that says so (progress is not counted)."""
    done = run(*words, environment=environment)
    lines = [line for line in done.stderr.splitlines()
             if not line.startswith(("ownline compare: run", "ERROR: ld.so"))]
    check(f"{words}: status 2", done.returncode == 2, done.returncode)
    check(f"{words}: one line", len(lines) == 1 and lines[0].startswith("ownline: "), done.stderr)
    check(f"{words}: says {what!r}", what in done.stderr, done.stderr)
    check(f"{words}: nothing on standard output", done.stdout == "", done.stdout)
    return done.stderr


def bad_usage_is_one_line():
    refused("no command is given")
    refused("no command is given", "--")
    refused("not known", "--nonsense", "true")
    refused("needs a value", "--runs")
    refused("from 1 to 1000", "-n", "0", "true")
    refused("from 1 to 1000", "-n", "3x", "true")
    refused("from 0 to 1000", "-t", "-1", "true")
    refused("text or json", "-r", "html", "true")
    refused('"frob" is no variant', "-v", "asis,frob", "true")
    refused('"" is no variant', "-v", "asis,", "true")
    refused("power of two", "-v", "17", "true")
    refused("power of two", "-v", "1", "true")
    refused("power of two", "-v", "4294967296", "true")
    refused("power of two", "-v", "ownline-5", "true")
    refused("twice", "-v", "asis,asis", "true")
    refused("not known", "-v", "ownline:nonsense=1", "true")
    refused("from 0 to 1", "-v", "ownline:spin=9", "true")
    refused("behind character 1", "-m", "(", "true")
    refused("in parentheses", "-m", "x", "true")
    refused("give a file", "-o", str(folder / "no" / "such"), "true")
    refused("unset it", "true", environment={"LD_PRELOAD": "libownline.so.0"})
    refused("OWNLINE_OPTIONS", "true", environment={"OWNLINE_OPTIONS": "bad=1"})
    for expression, words in (("(z)", "matches nothing"), ("x(.)", "no number")):
        said = refused(words, "--no-trace", "-m", expression, "--", "echo", "xy")
        kept = Path(said.strip().splitlines()[-1].rsplit(" ", 1)[1])
        check("the output is kept", kept.read_text(encoding="utf-8") == "xy\n", kept)
        kept.unlink()
    done = run("--no-trace", "-n", "1", "-v", "asis", "-o", "/dev/full", "--", "true")
    check("a full disk", done.returncode == 2 and "is the disk full?" in done.stderr, done)
    done = run("--help")
    check("help", done.returncode == 0 and "usage: ownline compare" in done.stdout)
    check("help fits", all(len(line) <= 88 for line in done.stdout.splitlines()))
    for word, status in (("/no/such", 127), ("/etc/passwd", 126)):
        done = run("--no-trace", "--", word)
        check(f"{word}: status {status}", done.returncode == status, done.returncode)
        check(f"{word}: says so", f'cannot run "{word}"' in done.stderr, done.stderr)


def ends_with_a_failing_command():
    for status, words in ((3, "ended with status 3"), (-signal.SIGABRT, "killed by signal 6")):
        done = run("--no-trace", "-v", "asis,ownline", "--", known, "say", "first\nlast words\n", str(int(status)))
        check(f"{status}: status 1", done.returncode == 1, done.returncode)
        check(f"{status}: says so", words in done.stderr, done.stderr)
        check(f"{status}: shows the output", "| last words" in done.stderr, done.stderr)
        check(f"{status}: no report without a run", done.stdout == "", done.stdout)
        line = next(line for line in done.stderr.splitlines() if "kept in" in line)
        kept = Path(line.rsplit(" ", 1)[1])
        check(f"{status}: keeps it", kept.read_text(encoding="utf-8") == "first\nlast words\n")
        kept.unlink()
    # What has run before is reported. Every run adds a line; the third finds two.
    count = folder / "count"
    report, errors = run_json("--no-trace", "-n", "3", "-v", "asis,ownline", "--", "sh", "-c",
                              f'echo >>"{count}"; test $(wc -l <"{count}") -lt 3', status=1)
    check("incomplete", report["complete"] is False and "status 1" in report["failure"], report["failure"])
    check("variant that failed", "round 2, variant ownline" in report["failure"], report["failure"])
    check("runs before it", [len(v["timed_runs"]) for v in report["variants"]] == [1, 1], report)
    kept = [line for line in errors.splitlines() if "kept in" in line][0].rsplit(" ", 1)[1]
    Path(kept).unlink()
    check("nothing else is left behind", list(folder.glob("ownline-*")) == [])


def is_gone(pid):
    """Also counted as gone: what nobody has waited for yet."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def reports_what_there_is_when_interrupted():
    for number in (signal.SIGINT, signal.SIGTERM):
        gate = folder / f"gate{int(number)}"
        gate.mkdir()
        with subprocess.Popen(
                [ownline, "compare", "--no-trace", "-n", "5", "-v", "asis,ownline", "-r", "json", "--",
                 known, "gate", str(gate), "4"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            deadline = time.monotonic() + TIMEOUT
            while not (gate / "4").exists() or not (gate / "4").read_text(encoding="ascii").endswith("\n"):
                if time.monotonic() > deadline or process.poll() is not None:
                    process.kill()
                    sys.exit(f"the fourth run has not come: {process.communicate()}")
                time.sleep(0.01)
            process.send_signal(number)
            output, errors = process.communicate(timeout=TIMEOUT)
        check(f"signal {number}: status", process.returncode == 128 + number, process.returncode)
        check(f"signal {number}: says so", f"interrupted by signal {int(number)}" in errors, errors)
        report = json.loads(output)
        check("incomplete", report["complete"] is False and "interrupted" in report["failure"])
        seen = {name: len(variant["timed_runs"]) for name, variant in variants(report).items()}
        check("three runs", seen == {"asis": 1, "ownline": 2}, seen)
        pid = (gate / "4").read_text(encoding="ascii").strip()
        check(f"signal {number}: the command has ended", is_gone(pid), pid)
        check("nothing is left behind", list(folder.glob("ownline-*")) == [])


def sets_the_futex_hash():
    names = ["global", "2", "256", "4096"]
    if not kernel_has_a_hash():
        report, _ = run_json("--no-trace", "-n", "1", "-v", "asis," + ",".join(names), "--", "true")
        for name in names:
            variant = variants(report)[name]
            check(f"{name}: not available", "6.17" in variant["reason"], variant["reason"])
        refused("6.17", "--no-trace", "-v", "256", "true")
        return
    for where in ("here", "forked", "executed"):
        report, _ = run_json("--no-trace", "-n", "2", "-v", "asis," + ",".join(names), "-m",
                             rf"^{where}: (-?\d+)", "--", known, "slots")
        for name, variant in variants(report).items():
            seen = values(variant, "timed_runs", "metric")
            if name == "asis":
                check(f"{where}: the kernel's choice", seen[0] >= 16 and seen[0] == seen[1], seen)
            else:
                wanted = 0 if name == "global" else int(name)
                check(f"{where}: {name}", seen == [wanted, wanted], seen)
    report, _ = run_json("--no-trace", "-n", "1", "-v", "asis,1073741824", "--", "true")
    reason = variants(report)["1073741824"]["reason"]
    check("far too many slots are not available", "fewer" in (reason or ""), reason)


def sets_ownlines_own_futex_hash():
    for name, wanted in (("ownline-256", 256), ("ownline-global", 0), ("ownline:futex_hash=64", 64)):
        report, _ = run_json("--no-trace", "-n", "1", "-v", f"asis,{name}", "-m", r"^here: (-?\d+)", "--",
                             known, "slots")
        variant = variants(report)[name]
        if kernel_has_a_hash():
            seen = values(variant, "timed_runs", "metric")
            check(name, seen == [wanted], (seen, variant["reason"]))
        elif not name.startswith("ownline:"):
            check(name, "6.17" in variant["reason"], variant["reason"])


def static_program(compiler):
    source, program = folder / "static.c", folder / "static"
    source.write_text("int main(void) { return 0; }\n", encoding="ascii")
    done = subprocess.run([compiler, "-static", str(source), "-o", str(program)], capture_output=True,
                          check=False)
    return str(program) if done.returncode == 0 else None


def says_what_a_program_does_not_take():
    compiler = shutil.which(os.environ.get("CC", "cc"))
    program = static_program(compiler) if compiler else None
    if program is None:
        skip("no compiler that links static programs; install Debian's gcc and libc6-dev")
    report, _ = run_json("--no-trace", "-n", "2", "-v", "asis,ownline,global", "--", program)
    check("asis runs", len(variants(report)["asis"]["timed_runs"]) == 2)
    for name in ("ownline", "global") if kernel_has_a_hash() else ("ownline",):
        variant = variants(report)[name]
        check(f"{name}: not available", not variant["available"], variant)
        check(f"{name}: why", "did not load the library" in variant["reason"], variant["reason"])
        check(f"{name}: no run", variant["timed_runs"] == [], variant)
    text = run("--no-trace", "-n", "1", "-v", "asis,ownline", "--", program).stdout
    check("the text says so", "ownline: not available: the program did not load" in text, text)


def takes_orphans_into_account():
    report, _ = run_json("--no-trace", "-n", "2", "-v", "asis", "--", known, "burn", "50")
    for cpu_s in values(variants(report)["asis"], "timed_runs", "cpu_s"):
        check("CPU time of an orphan counts", cpu_s >= 0.05, cpu_s)
    left = folder / "left"
    report, _ = run_json("--no-trace", "-n", "1", "-v", "asis", "--", known, "leave", str(left))
    seen = values(variants(report)["asis"], "timed_runs", "left_running")
    check("one process was left running", seen == [1], seen)
    check("it has been ended", is_gone(left.read_text(encoding="ascii").strip()))
    text = run("--no-trace", "-n", "1", "-v", "asis", "--", known, "leave", str(left)).stdout
    check("the text says so", "note: the command left processes running, 1 in all; they were ended" in text, text)


def works_without_tracing():
    if os.geteuid() != 0:
        report, errors = run_json("-n", "1", "-v", "asis", "--", "true")
    else:
        drop = shutil.which("setpriv")
        if drop is None:
            skip("no setpriv; install Debian's util-linux")
        done = subprocess.run(
            [drop, "--bounding-set=-all,+dac_override", "--inh-caps=-all", ownline, "compare", "-n", "1",
             "-v", "asis", "-r", "json", "--", "true"],
            capture_output=True, text=True, check=False, timeout=TIMEOUT)
        check("status 0", done.returncode == 0, (done.returncode, done.stderr))
        report, errors = json.loads(done.stdout), done.stderr
    if report["not_traced"] is None:
        skip("whoever runs this may trace")
    check("it says why", len(report["not_traced"]) > 10, report["not_traced"])
    check("on standard error as well", "will not be counted" in errors, errors)
    asis = variants(report)["asis"]
    check("timed all the same", len(asis["timed_runs"]) == 1 and asis["traced_runs"] == [], asis)


def verdict_says_what_differs():
    """By figures that depend on the variant alone; times may differ or not."""
    script = "case $LD_PRELOAD in *libownline.so*) echo x=5;; *) echo x=10;; esac"
    report, _ = run_json("--no-trace", "-n", "3", "-v", "ownline,asis,ownline:spin=0", "-m", r"x=(\d+)", "--",
                         "sh", "-c", script)
    seen = {name: variant["verdict"] for name, variant in variants(report).items()}
    check("asis is the base wherever it stands", "compared with" in seen["asis"], seen)
    for name in ("ownline", "ownline:spin=0"):
        check(f"{name} differs", "the metric 0.50 times" in seen[name] and "that of asis" in seen[name], seen)
    report, _ = run_json("--no-trace", "-n", "3", "-v", "asis,ownline", "-m", r"x=(\d+)", "--", "echo", "x=3")
    verdict = variants(report)["ownline"]["verdict"]
    check("no difference is none", "the metric " not in verdict.replace("or the metric", ""), verdict)
    check("no count without tracing", "mismatched" not in verdict, verdict)
    report, _ = run_json("--no-trace", "-n", "1", "-v", "asis,ownline", "--", "true")
    verdict = variants(report)["ownline"]["verdict"]
    check("of one run the spread is not known", "its spread is not known" in verdict, verdict)


def main():
    global ownline, known, folder
    test, ownline, known = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ownline-compare-test.") as name:
        folder = Path(name)
        os.environ.update(TMPDIR=name, LC_ALL="C")
        for variable in ("OWNLINE_OPTIONS", "OWNLINE_REGION", "LD_PRELOAD"):
            os.environ.pop(variable, None)
        globals()[test]()
    return 1 if failures else 0


sys.exit(main())
