"""What is to be shown of ownline's locks, demand by demand, out of the figures of the cells."""

import math
from dataclasses import dataclass

from runner import summary

NOISE = 0.97  # a ratio down to here is no loss
SLACK = 1.1  # figures of one run that are to be no worse than another's may differ so much
MEAN = 2.5  # times glibc, over the contended cells
SHARE = 0.01  # of the waits may mismatch
FEWER = 100  # times fewer mismatches per operation than glibc
# So many waits without a mismatch show, with 95 % confidence, that less than 1 % mismatch.
ENOUGH = 3 / SHARE

HELD, CLOSE, LOST, UNCLEAR = "held", "within noise", "not held", "too few to tell"


@dataclass(frozen=True)
class Demand:
    key: str
    text: str
    judge: object  # (standing) -> one of the four above, or None where it does not apply


def best_peer(cell):
    """The fastest of the others, glibc among them: (name, figures)."""
    return max(((name, figures) for name, figures in cell["peers"].items()
                if not name.startswith("ownline") and "ratio" in figures),
               key=lambda item: item[1]["ratio"])


def _pair(mine, other, key):
    values = (mine.get(key), other.get(key))
    return None if None in values else values


def standing(cell, subject):
    """What is judged of a cell. Pairs are the subject's figure and glibc's (`cpu`: the best peer's)."""
    mine, glibc = cell["peers"][subject], cell["peers"]["glibc"]
    name, best = best_peer(cell)
    result = {"cell": cell["cell"], "group": cell["group"], "contended": cell["contended"],
              "glibc": {key: mine[key] for key in ("ratio", "ratio_low", "ratio_high", "noisy")},
              "best_peer": name, "best": summary.compare(mine["values"], best["values"]),
              "cpu": (mine["cpu_seconds_per_million"], best["cpu_seconds_per_million"]),
              "cpu_times": summary.compare(mine["cpu_values"], best["cpu_values"])}
    for key in ("slowest_to_fastest", "jain", "p999"):
        result[key] = None if cell["timed"] else _pair(mine, glibc, key)
    for key in ("waits", "mismatches", "mismatches_per_million", "counted_operations"):
        result[key] = _pair(mine, glibc, key)
    result["judged"] = {demand.key: demand.judge(result) for demand in DEMANDS}
    return result


def _no_less(pair):
    return pair is None or pair[0] * SLACK >= pair[1]


def _glibc(row):
    return HELD if row["glibc"]["ratio"] >= NOISE else LOST


def _best(row):
    if row["best"] is None:
        return None
    ratio = row["best"]["ratio"]
    return HELD if ratio >= 1 else CLOSE if ratio >= NOISE else LOST


def _fairness(row):
    if row["jain"] is None:
        return None
    return HELD if _no_less(row["slowest_to_fastest"]) and _no_less(row["jain"]) else LOST


def _tail(row):
    if row["p999"] is None:
        return None
    return HELD if row["p999"][0] <= SLACK * row["p999"][1] else LOST


def _cpu(row):
    if row["cpu_times"] is None:
        return None
    return HELD if row["cpu_times"]["ratio"] <= SLACK else LOST


def _counted(row):
    return row["contended"] and row["waits"] is not None


def _share(row):
    if not _counted(row):
        return None
    waits, mismatches = row["waits"][0], row["mismatches"][0]
    if waits < ENOUGH and mismatches <= ENOUGH * SHARE:
        return UNCLEAR
    return HELD if mismatches < SHARE * waits else LOST


def allowed_mismatches(row):
    """Of the subject's run: a hundredth of what glibc would have had in as many operations."""
    return row["mismatches_per_million"][1] * row["counted_operations"][0] / 1e6 / FEWER


def _fewer(row):
    if not _counted(row):
        return None
    allowed, mismatches = allowed_mismatches(row), row["mismatches"][0]
    if allowed < ENOUGH * SHARE and mismatches <= ENOUGH * SHARE:
        return UNCLEAR
    return HELD if mismatches <= allowed else LOST


DEMANDS = (
    Demand("glibc", f"at least {NOISE} times glibc", _glibc),
    Demand("best", "at least 1.0 times the best peer", _best),
    Demand("fairness", "slowest/fastest thread and Jain's index no worse than glibc's (within 10 %)",
           _fairness),
    Demand("tail", "p99.9 to acquire no worse than glibc's (within 10 %)", _tail),
    Demand("cpu", f"CPU per operation at most {SLACK:.2f} times the best peer's", _cpu),
    Demand("share", "less than 1 % of the waits mismatch, in contended cells", _share),
    Demand("fewer", f"{FEWER} times fewer mismatches per operation than glibc, in contended cells",
           _fewer),
)


def _geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def verdict(results, subject):
    """All cells of the subject, and the cells of each demand by how it was met."""
    cells = [cell for cell in results if not cell["kernel"]]
    rows = [standing(cell, subject) for cell in cells
            if "ratio" in cell["peers"].get(subject, {})]
    contended = [row["glibc"]["ratio"] for row in rows if row["contended"]]
    judged = []
    for demand in DEMANDS:
        one = {"key": demand.key, "text": demand.text}
        for outcome in (HELD, CLOSE, LOST, UNCLEAR):
            one[outcome] = [row["cell"] for row in rows if row["judged"][demand.key] == outcome]
        judged.append(one)
    return {"geometric_mean": _geometric_mean(contended), "contended_cells": len(contended),
            "demands": judged, "cells": rows,
            "missing": [cell["cell"] for cell in cells
                        if "ratio" not in cell["peers"].get(subject, {})]}
