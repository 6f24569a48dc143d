"""From runs to the figures of a cell: medians, spread, ratios, and whether they mean anything."""

import statistics


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
        "cpu_values": {turn: run["cpu_seconds_per_million"] for turn, run in runs.items()},
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
        figures["counted_operations"] = operations
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
    # Measured once a round, and noted with each of its runs.
    result["cacheline_ns"] = {turn: run["cacheline_ns"]
                              for (name, _, turn), run in store.runs.items()
                              if name == cell.name and turn != "counted" and run
                              and "cacheline_ns" in run}
    add_ratios(result)
    return result


def compare(mine, base):
    """Ratios within the same round, because rates drift from minute to minute. Both by round."""
    ratios = sorted(value / base[turn] for turn, value in mine.items() if base.get(turn))
    if not ratios:
        return None
    # Of five and more, one outlier on each side does not count.
    low, high = (ratios[1], ratios[-2]) if len(ratios) >= 5 else (ratios[0], ratios[-1])
    ratio = statistics.median(ratios)
    # Too noisy to call: wide, and on both sides of one.
    noisy = high - low > 0.2 * ratio and low < 1 < high
    return {"ratio": ratio, "ratio_low": low, "ratio_high": high, "noisy": noisy}


def add_ratios(result):
    """Against glibc."""
    base = result["peers"].get("glibc", {}).get("values")
    for figures in result["peers"].values():
        if base and "values" in figures:
            figures.update(compare(figures["values"], base) or {})
