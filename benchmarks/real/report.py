"""Figures of real programs: medians, ratios within rounds, what is to be shown of them, Markdown."""

import math
import statistics

from runner import summary
from runner.tables import head, number, percent, row

NO_LOSS = 0.98
GAIN = 1.02  # less is noise
FEWER = 100  # times fewer mismatched waits
# Contended: so many waits a second that the C library's locks make mismatched ones among them.
CONTENDED = 1000
KEYS = ("ops_per_second", "mean_ms", "p95_ms", "p99_ms", "cpu", "voluntary", "involuntary")
LATENCIES = {"mean_ms": "mean", "p95_ms": "p95", "p99_ms": "p99"}


def _derived(run):
    """Costs per operation and second, so that runs of different length compare."""
    return {**run, "cpu": run["cpu_seconds"] * 1e6 / run["operations"],
            "voluntary": run["voluntary_switches"] / run["seconds"],
            "involuntary": run["involuntary_switches"] / run["seconds"]}


def _ratio(mine, theirs, key):
    """Median over the rounds that both have."""
    ratios = [mine[turn][key] / theirs[turn][key] for turn in mine
              if turn in theirs and key in mine[turn] and theirs[turn].get(key)]
    return statistics.median(ratios) if ratios else None


def _counts(run):
    if not run or "futex" not in run:
        return {}
    per_million = 1e6 / run["operations"]
    result = {"waits": run["futex"]["waits"] * per_million,
              "mismatches": run["futex"]["mismatches"] * per_million,
              "mismatched": run["futex"]["mismatches"], "waited": run["futex"]["waits"],
              "waits_per_second": run["futex"]["waits"] / run["seconds"]}
    if "own" in run:
        result["own_mismatched"] = run["own"]["mismatches"]
        result["own_mismatches"] = run["own"]["mismatches"] * per_million
    return result


def figures(program, peers, store):
    result = {"cell": program.name, "peers": {}}
    runs = {}
    for peer in peers:
        mine = {turn: run for (name, who, turn), run in store.runs.items()
                if name == program.name and who == peer.name}
        failure = next((run["failure"] for run in mine.values() if "failure" in run), None)
        counted = mine.pop("counted", None)
        runs[peer.name] = {turn: _derived(run) for turn, run in mine.items()
                           if "failure" not in run}
        one = {}
        if runs[peer.name]:
            values = {turn: run["ops_per_second"] for turn, run in runs[peer.name].items()}
            median = statistics.median(values.values())
            one = {"value": median, "values": values,
                   "spread": (max(values.values()) - min(values.values())) / 2 / median}
            for key in KEYS:
                found = [run[key] for run in runs[peer.name].values() if key in run]
                if found:
                    one[key] = statistics.median(found)
        if counted and "failure" not in counted:
            one.update(_counts(counted))
        if failure:
            one["failure"] = failure
        if one:
            result["peers"][peer.name] = one
    summary.add_ratios(result)
    for name, one in result["peers"].items():
        for key in KEYS[1:]:
            value = _ratio(runs[name], runs["glibc"], key)
            if value is not None:
                one[f"{key}_ratio"] = value
    return result


def contended(cell):
    """Whether the C library's locks made threads wait often, and in vain."""
    glibc = cell["peers"].get("glibc", {})
    return "mismatched" in glibc and (glibc["waits_per_second"] >= CONTENDED
                                      and glibc["mismatched"] >= 0.01 * glibc["waited"])


def _fewer(cell, subject):
    """Mismatched waits per operation: how many times fewer than glibc's; None without any."""
    mine, theirs = cell["peers"][subject], cell["peers"]["glibc"]
    if not mine["mismatches"]:
        return math.inf if theirs["mismatches"] else None
    return theirs["mismatches"] / mine["mismatches"]


def verdicts(cells, subject):
    """(text, cells that hold, cells that do not) each."""
    measured = [cell for cell in cells if "ratio" in cell["peers"].get(subject, {})]
    counted = [cell for cell in measured
               if "own_mismatched" in cell["peers"][subject] and contended(cell)]

    def judge(text, among, holds):
        return {"text": text, "held": [cell["cell"] for cell in among if holds(cell)],
                "lost": [cell["cell"] for cell in among if not holds(cell)]}

    def ratio(cell):
        return cell["peers"][subject]["ratio"]

    def own_fewer(cell):
        mine = cell["peers"][subject]
        return (mine["own_mismatched"] <= 2 or mine["own_mismatches"] * FEWER
                <= cell["peers"]["glibc"]["mismatches"])

    def fewer(cell):
        value = _fewer(cell, subject)
        return value is None or value >= FEWER or cell["peers"][subject]["mismatched"] <= 2

    return [
        judge(f"at least {NO_LOSS} times glibc's throughput", measured,
              lambda cell: ratio(cell) >= NO_LOSS),
        judge(f"at least {GAIN} times where glibc's locks contend", counted,
              lambda cell: ratio(cell) >= GAIN),
        judge(f"mismatched waits at most 1/{FEWER} of glibc's (or 2) where they contend, "
              "by the kernel's count", counted, fewer),
        judge("the same without futex calls that are not of ownline's locks", counted, own_fewer),
    ]


def verdict_lines(name, judged):
    lines = ["", f"### Where {name} stands", ""]
    for bar in judged:
        total = len(bar["held"]) + len(bar["lost"])
        if total:
            which = f"; not in: {'; '.join(bar['lost'])}" if bar["lost"] else ""
            lines.append(f"- {bar['text']}: {len(bar['held'])} of {total} programs{which}")
    return lines if len(lines) > 3 else []


def _milliseconds(value):
    if value is None:
        return ""
    return f"{value * 1e3:.3g} us" if value < 1 else f"{value:.3g} ms"


def _times(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def _mismatches(one):
    if "mismatches" not in one:
        return ""
    share = f" ({percent(one['mismatched'], one['waited'])})" if one["waited"] else ""
    return f"{number(one['mismatches'])}{share}"


def _short_table(cells, names):
    lines = head(["program", "glibc ops/s"] + [f"{name}: throughput (range)" for name in names]
                 + ["mean latency", "p99 latency", "CPU per op", "mismatched per M ops, glibc",
                    names[0], "contends"])
    for cell in cells:
        glibc, mine = cell["peers"].get("glibc", {}), cell["peers"].get(names[0], {})
        fields = [cell["cell"], number(glibc.get("ops_per_second"))]
        for name in names:
            one = cell["peers"].get(name, {})
            if "failure" in one:
                fields.append(f"**{one['failure']}**")
            elif "ratio" in one:
                low = "**" if one["ratio"] < NO_LOSS else ""
                fields.append(f"{low}{one['ratio']:.2f}{low}{' ~' if one['noisy'] else ''} "
                              f"({one['ratio_low']:.2f} to {one['ratio_high']:.2f})")
            else:
                fields.append("")
        fields += [_times(mine.get(f"{key}_ratio")) for key in ("mean_ms", "p99_ms", "cpu")]
        fields += [_mismatches(glibc), _mismatches(mine), "yes" if contended(cell) else ""]
        lines.append(row(fields))
    return lines


def _detail_table(cell, peers):
    lines = ["", f"#### {cell['cell']}", ""]
    lines += head(["peer", "ops/s", "spread", "mean", "p95", "p99", "CPU s per M ops",
                   "switches/s vol, invol", "waits per M ops", "mismatched per M ops",
                   "of these the runtime's own"])
    for peer in peers:
        one = cell["peers"].get(peer.name, {})
        if "value" not in one:
            lines.append(row([peer.name, one.get("failure", "")] + [""] * 9))
            continue
        lines.append(row([
            peer.name, number(one["ops_per_second"]), f"{100 * one['spread']:.0f} %",
            *(_milliseconds(one.get(key)) for key in LATENCIES), f"{one['cpu']:.3g}",
            f"{number(one['voluntary'])}, {number(one['involuntary'])}",
            number(one.get("waits")), _mismatches(one), number(one.get("own_mismatches"))]))
    return lines


def markdown(meta, cells, peers, missing, descriptions):
    names = [peer.name for peer in peers if peer.name != "glibc"]
    lines = ["# Real programs", "", f"Made by `{meta['command']}`.", ""]
    lines += [f"- {key}: {value}" for key, value in meta["machine"].items()]
    lines += [
        f"- {meta['rounds']} rounds of {meta['seconds']} s per program and library, the libraries "
        "taking turns",
        f"- CPU time used by other work meanwhile: {100 * meta['foreign_cpu']:.0f} % of the "
        "machine (median over all runs)"]
    lines += [f"- {version}" for version in meta["versions"]]
    lines += [f"- not measured: {name}; install {packages}" for name, packages in missing]
    lines += ["", "Each program ran with glibc's locks and with libownline.so preloaded; a load "
              "generator beside it always with glibc's. Ratios are medians over rounds of the figure "
              "divided by glibc's in the same round: of throughput, more is better; of latency and CPU "
              f"time, less. Bold: below {NO_LOSS}. `~`: too noisy to call (the ratios of single rounds lie on "
              "both sides of 1 and more than 20 % apart). Mismatched waits are the kernel's count in a "
              "run of its own, in brackets their share of all futex waits; those of futex calls that a "
              "program makes itself are among them. `contends`: with glibc the program waits at least "
              f"{CONTENDED} times a second, and 1 % of the waits mismatch."]
    for name in names:
        lines += verdict_lines(name, verdicts(cells, name))
    lines += ["", "## Ratios", ""] + _short_table(cells, names)
    lines += ["", "## All figures"]
    for cell in cells:
        lines += _detail_table(cell, peers)
        lines += ["", descriptions[cell["cell"]]]
    return "\n".join(lines) + "\n"
