#!/usr/bin/env python3
"""ownline report from outside: what it says of the documents in golden/, and of spoilt ones.

usage: report_test.py TEST OWNLINE GOLDEN [--renew]

--renew writes what is said now to golden/: to be looked at before it is checked in.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ("run", "trace", "compare", "lab")
failures = 0
ownline, golden, renew = "", Path(), False


def check(what, right, seen=""):
    global failures
    if not right:
        print(f"{what}: not so: {seen}")
        failures += 1


def report(*words):
    return subprocess.run([ownline, "report", *words], cwd=golden, capture_output=True, text=True,
                          timeout=60, check=False)


def same_as_golden(name, *words):
    done = report(*words)
    check(f"{words}: status 0", done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr))
    path = golden / name
    if renew:
        path.write_text(done.stdout, encoding="utf-8")
    wanted = path.read_text(encoding="utf-8")
    check(f"{words}: as in {name}", done.stdout == wanted, f"\n{done.stdout}\nwanted:\n{wanted}")
    return done.stdout


def diffs_every_kind():
    for kind in KINDS:
        a, b = f"{kind}-a.json", f"{kind}-b.json"
        same_as_golden(f"{kind}-diff.txt", "diff", a, b)
        table = json.loads(report("diff", "--format", "json", a, b).stdout)
        check(f"{kind}: form", table["schema"] == "ownline-diff" and table["version"] == 1)
        check(f"{kind}: files", [file["path"] for file in table["files"]] == [a, b])
        for row in table["rows"]:
            first, second = row["values"]
            if first is not None and second is not None:
                check(f"{row}: difference", row["differences"] == [0, second - first])
                check(f"{row}: ratio", row["ratios"][1] == (second / first if first else None))
        # The same twice: all is the same.
        table = json.loads(report("diff", "-f", "json", a, a).stdout)
        check(f"{kind}: no difference to itself",
              all(set(row["differences"]) == {0} for row in table["rows"]) and table["rows"])
    same_as_golden("lab-diff.json", "diff", "--format", "json", "lab-a.json", "lab-b.json")
    same_as_golden("three-diff.txt", "diff", "lab-a.json", "lab-b.json", "lab-a.json")


def reads_the_figures():
    """Against the documents themselves, by other means."""
    rows = {(row["name"], row["variant"]): row["values"][0]
            for row in json.loads(report("show", "--format", "json", "compare-a.json").stdout)["rows"]}
    document = json.loads((golden / "compare-a.json").read_text(encoding="utf-8"))
    titles = {"wall_s": "wall time", "cpu_s": "CPU time", "metric": "metric", "waits": "futex waits",
              "mismatched_waits": "mismatched waits", "mismatched_share_percent": "mismatched share",
              "voluntary_switches": "switches, voluntary", "wakes": "futex wakes"}
    for variant in document["variants"]:
        for figure, title in titles.items():
            wanted = variant["summary"][figure]["median"]
            check(f"{title} of {variant['name']}", rows[title, variant["name"]] == wanted,
                  (rows[title, variant["name"]], wanted))
    document = json.loads((golden / "trace-a.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row["values"][0]
            for row in json.loads(report("show", "--format", "json", "trace-a.json").stdout)["rows"]}
    outcomes = document["waits"]["outcomes"]
    check("waits", rows["futex waits"] == document["waits"]["started"])
    check("mismatched", rows["mismatched waits"] == outcomes["mismatch"]["count"])
    share = 100 * outcomes["mismatch"]["count"] / sum(entry["count"] for entry in outcomes.values())
    check("share", abs(rows["mismatched share"] - share) < 1e-9, (rows["mismatched share"], share))
    same_as_golden("run-show.txt", "show", "run-a.json")


def refused(what, *words):
    done = report(*words)
    check(f"{words}: status 2", done.returncode == 2, done.returncode)
    check(f"{words}: one line", len(done.stderr.splitlines()) == 1 and done.stderr.startswith("ownline: "),
          done.stderr)
    check(f"{words}: says {what!r}", what in done.stderr, done.stderr)
    check(f"{words}: nothing on standard output", done.stdout == "", done.stdout)


def refuses_what_is_wrong():
    refused("diff or show")
    refused("diff or show", "frob")
    refused("two files", "diff")
    refused("two files", "diff", "lab-a.json")
    refused("one file", "show", "lab-a.json", "lab-b.json")
    refused("text or json", "diff", "--format", "html", "lab-a.json", "lab-b.json")
    refused("not known", "diff", "--nonsense", "lab-a.json", "lab-b.json")
    refused("at most 64", "diff", *["lab-a.json"] * 65)
    refused("one kind", "diff", "lab-a.json", "run-a.json")
    refused("No such file", "diff", "lab-a.json", "none.json")
    refused("a folder", "show", "/")
    done = report("--help")
    check("help", done.returncode == 0 and "usage: ownline report" in done.stdout)
    check("help fits", all(len(line) <= 88 for line in done.stdout.splitlines()))
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([ownline, "report", "show", "lab-a.json"], cwd=golden, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
        check("a full disk", done.returncode == 2 and "disk full" in done.stderr, done)


def spoilt(kind, change):
    document = json.loads((golden / f"{kind}-a.json").read_text(encoding="utf-8"))
    change(document)
    return json.dumps(document)


def refuses_spoilt_documents():
    texts = {
        "no whole JSON": ["", "{", "nonsense", '{"schema": 1} x', '{"schema": "\xff"}'],
        "no report of ownline's": ["{}", "[]", "[1]", '{"schema": 1}', '{"schema": null, "totals": []}'],
        "are not read here": ['{"schema": "ownline-diff", "version": 1}', '{"schema": "\\u0007"}'],
        "version": [spoilt("compare", lambda d: d.update(version=2)), spoilt("lab", lambda d: d.update(version=0)),
                    spoilt("run", lambda d: d.update(schema=2)), spoilt("trace", lambda d: d.update(schema=7))],
        "version is no number": [spoilt("lab", lambda d: d.update(version="1")),
                                 spoilt("compare", lambda d: d.pop("version")),
                                 spoilt("trace", lambda d: d.update(schema=1.0))],
        "totals.waits.mismatch.count": [
            spoilt("run", lambda d: d["totals"]["waits"]["mismatch"].update(count="3"))],
        "waits.started": [spoilt("trace", lambda d: d.update(waits=[]))],
        "variants": [spoilt("compare", lambda d: d.pop("variants"))],
        "a variant lacks": [spoilt("compare", lambda d: d["variants"].append({})),
                            spoilt("compare", lambda d: d["variants"][0].update(timed_runs=3))],
        "results": [spoilt("lab", lambda d: d.pop("results"))],
        "result 2 lacks": [spoilt("lab", lambda d: d["results"][1].pop("value")),
                           spoilt("lab", lambda d: d["results"][1].update(name=None))],
    }
    for kind in KINDS:
        whole = (golden / f"{kind}-a.json").read_text(encoding="utf-8").rstrip()
        texts["no whole JSON"] += [whole[:len(whole) * part // 7] for part in range(1, 7)]
        texts["no whole JSON"].append(whole[:-1])
    with tempfile.TemporaryDirectory(prefix="ownline-report-test.") as name:
        path = Path(name) / "spoilt.json"
        for words, all_of_them in texts.items():
            for text in all_of_them:
                path.write_text(text, encoding="latin-1")
                refused(words, "show", str(path))
        # An interval's reports: the last one counts.
        first = json.loads((golden / "trace-b.json").read_text(encoding="utf-8"))
        last = (golden / "trace-a.json").read_text(encoding="utf-8")
        path.write_text(json.dumps(first) + "\n" + last + "\n", encoding="utf-8")
        alone = report("show", "trace-a.json").stdout.replace("trace-a.json", str(path))
        check("the last report counts", report("show", str(path)).stdout == alone)
        # What a terminal would act on stays in the file.
        path.write_text(spoilt("lab", lambda d: d["results"][0].update(name="\x1b[31m")), encoding="utf-8")
        check("no control characters", "\x1b" not in report("show", str(path)).stdout)


def main():
    global ownline, golden, renew
    test, ownline, folder = sys.argv[1:4]
    golden, renew = Path(folder), sys.argv[4:] == ["--renew"]
    globals()[test]()
    return 1 if failures else 0


sys.exit(main())
