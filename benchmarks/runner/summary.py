"""From runs to the figures of a cell: medians, spread, ratios, and whether they mean anything."""

import math
import statistics

NOISE = 0.97  # a ratio down to here is no loss


def _value(cell, run):
    """Higher is better: operations per second, or per CPU second where nobody waits."""
    if cell.timed and run["cpu_seconds_per_million"] > 0:
        return 1e6 / run["cpu_seconds_per_million"]
    return run["ops_per_second"]


def _median(runs, key, inner=None):
    values = [run[key] if inner is None else run[key][inner] for run in runs if key in run]
    return statistics.median(values) if values else None


def peer_figures(cell, runs, counted):
    """runs by round. Figures of one peer in one cell."""
    values = {turn: _value(cell, run) for turn, run in runs.items()}
    every = list(runs.values())
    median = statistics.median(values.values())
    middle = sorted(values.values())
    spread = (middle[-1] - middle[0]) / 2 / median if median else 0
    if len(middle) >= 5:
        # One outlier on each side does not count.
        spread = (middle[-2] - middle[1]) / 2 / median if median else 0
    figures = {
        "value": median,
        "spread": spread,
        "values": values,
        "ops_per_second": _median(every, "ops_per_second"),
        "cpu_seconds_per_million": _median(every, "cpu_seconds_per_million"),
        "slowest_to_fastest": _median(every, "slowest_to_fastest"),
        "jain": _median(every, "jain"),
        "voluntary_switches": _median(every, "voluntary_switches"),
        "involuntary_switches": _median(every, "involuntary_switches"),
        "seconds": _median(every, "seconds"),
        "operations": _median(every, "operations"),
        "foreign_cpu": _median(every, "foreign_cpu"),
    }
    for key in ("p50", "p99", "p999", "max"):
        figures[key] = _median(every, "acquire_ns", key)
    if counted and "futex" in counted:
        operations = counted["operations"] or 1
        figures["waits_per_million"] = counted["futex"]["waits"] * 1e6 / operations
        figures["mismatches_per_million"] = counted["futex"]["mismatches"] * 1e6 / operations
        figures["waits"] = counted["futex"]["waits"]
        figures["mismatches"] = counted["futex"]["mismatches"]
    return figures


def cell_figures(cell, peers, store):
    result = {"cell": cell.name, "group": cell.group, "workload": cell.workload,
              "pinned": cell.pinned, "contended": cell.contended, "kernel": cell.kernel,
              "timed": cell.timed, "peers": {}}
    for peer in peers:
        runs, failure = {}, None
        for (name, who, turn), run in store.runs.items():
            if name != cell.name or who != peer.name or turn == "counted":
                continue
            if run is not None and "failure" in run:
                failure = run["failure"]
            elif run is not None and run["operations"] > 0:
                runs[turn] = run
        counted = store.runs.get((cell.name, peer.name, "counted"))
        if counted is not None and "failure" in counted:
            failure = counted["failure"]
        if runs:
            result["peers"][peer.name] = peer_figures(cell, runs, counted)
        if failure:
            result["peers"].setdefault(peer.name, {})["failure"] = failure
    add_ratios(result)
    return result


def add_ratios(result):
    """Against glibc within the same round, because rates drift from minute to minute."""
    base = result["peers"].get("glibc", {}).get("values")
    for figures in result["peers"].values():
        if not base or "values" not in figures:
            continue
        ratios = sorted(value / base[turn] for turn, value in figures["values"].items()
                        if turn in base)
        if not ratios:
            continue
        figures["ratio"] = statistics.median(ratios)
        figures["ratio_low"] = ratios[1] if len(ratios) >= 5 else ratios[0]
        figures["ratio_high"] = ratios[-2] if len(ratios) >= 5 else ratios[-1]
        # Too noisy to call: wide, and on both sides of one.
        wide = figures["ratio_high"] - figures["ratio_low"] > 0.2 * figures["ratio"]
        figures["noisy"] = wide and figures["ratio_low"] < 1 < figures["ratio_high"]


def _geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def _no_less(figures, other, key, slack=1.0):
    mine, theirs = figures.get(key), other.get(key)
    return mine is None or theirs is None or mine >= theirs * slack


def verdicts(results, subject):
    """What is to be shown of `subject`, one (text, cells that hold, cells in all, losers) each."""
    cells = [cell for cell in results
             if not cell["kernel"] and "ratio" in cell["peers"].get(subject, {})]
    contended = [cell for cell in cells if cell["contended"]]

    def judge(text, among, holds):
        losers = [cell["cell"] for cell in among if not holds(cell)]
        winners = [cell["cell"] for cell in among if cell["cell"] not in losers]
        return {"text": text, "held": len(winners), "cells": len(among), "losers": losers,
                "winners": winners}

    def rivals(cell):
        return [figures for name, figures in cell["peers"].items()
                if not name.startswith("ownline") and "ratio" in figures]

    def mine(cell):
        return cell["peers"][subject]

    def glibc(cell):
        return cell["peers"]["glibc"]

    def cheap(cell):
        best = min(rival["cpu_seconds_per_million"] for rival in rivals(cell))
        return mine(cell)["cpu_seconds_per_million"] <= 1.1 * best

    def few_mismatches(cell):
        return (mine(cell)["mismatches"] <= 0.01 * mine(cell)["waits"]
                or mine(cell)["mismatches"] <= 2)

    def hundred_times_fewer(cell):
        return (mine(cell)["mismatches_per_million"] * 100 <= glibc(cell)["mismatches_per_million"]
                or mine(cell)["mismatches"] <= 2)

    counted = [cell for cell in contended
               if "waits" in mine(cell) and "waits" in glibc(cell)]
    return {
        "geometric_mean": _geometric_mean([mine(cell)["ratio"] for cell in contended]),
        "contended_cells": len(contended),
        "bars": [
            judge(f"at least {NOISE} times glibc", cells,
                  lambda cell: mine(cell)["ratio"] >= NOISE),
            judge(f"at least {NOISE} times the best rival", cells,
                  lambda cell: mine(cell)["value"] >=
                  NOISE * max(rival["value"] for rival in rivals(cell))),
            judge("slowest/fastest thread no worse than glibc's (within 10 %)", contended,
                  lambda cell: _no_less(mine(cell), glibc(cell), "slowest_to_fastest", 0.9)),
            judge("p99.9 no worse than glibc's (within 10 %)", contended,
                  lambda cell: _no_less(glibc(cell), mine(cell), "p999", 1 / 1.1)),
            judge("CPU per operation at most 1.1 times the best rival's", cells, cheap),
            judge("mismatches at most 1 % of the waits (or 2)", counted, few_mismatches),
            judge("mismatches per operation at most 1/100 of glibc's (or 2)", counted,
                  hundred_times_fewer),
        ],
    }
