"""The results as Markdown."""

import statistics

from runner.matrix import FEW_ROUNDS
from runner.measure import BUSY, FAR


def number(value, digits=3):
    """Short for people: 12.3 M, 456 k."""
    if value is None:
        return ""
    for limit, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= 0.9995 * limit:  # 999.6 would be 1e+03
            return f"{value / limit:.{digits}g}{letter}"
    return f"{value:.{digits}g}"


def percent(part, whole):
    """Two digits, but whole numbers from 10 on; nothing of nothing."""
    if not whole:
        return ""
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 9.95 else f"{share:.2g} %"


def time(nanoseconds):
    if nanoseconds is None:
        return ""
    for limit, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds >= limit:
            return f"{nanoseconds / limit:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def head(cells):
    return [row(cells), row(["---"] + ["---:"] * (len(cells) - 1))]


def _ratio_cell(figures, best):
    if "failure" in figures:
        return f"**{figures['failure'].split()[0]}!**"
    if "ratio" not in figures:
        return "n/a"
    text = f"{figures['ratio']:.2f}"
    if figures["noisy"]:
        text += " ~"
    return f"**{text}**" if best else text


def ratio_tables(results, peers):
    names = [peer.name for peer in peers]
    lines, group = [], None
    for cell in results:
        if cell["kernel"]:
            continue
        if cell["group"] != group:
            group = cell["group"]
            lines += ["", f"### {group}", ""]
            lines += head(["cell", "glibc ops/s"] + names[1:])
        ratios = {name: figures["ratio"] for name, figures in cell["peers"].items()
                  if "ratio" in figures}
        best = max(ratios.values(), default=None)
        glibc = cell["peers"].get("glibc", {})
        fields = [cell["cell"], number(glibc.get("ops_per_second"))]
        for name in names[1:]:
            figures = cell["peers"].get(name, {})
            fields.append(_ratio_cell(figures, best is not None and figures.get("ratio") == best))
        lines.append(row(fields))
    return lines


def kernel_table(results):
    rows = [cell for cell in results if cell["kernel"] and "kernel" in cell["peers"]]
    if not rows:
        return []
    lines = ["", "### The kernel's side alone", ""]
    lines += head(["workload", "ops/s of all threads", "spread", "CPU s per million",
                    "p50", "p99", "voluntary switches per op", "mismatched waits"])
    for cell in rows:
        figures = cell["peers"]["kernel"]
        if "value" not in figures:
            lines.append(row([cell["cell"], figures.get("failure", "")] + [""] * 6))
            continue
        switches = figures["voluntary_switches"] / max(figures["operations"], 1)
        waits = figures.get("waits")
        share = f"{100 * figures['mismatches'] / waits:.1f} %" if waits else ""
        lines.append(row([
            cell["cell"], number(figures["ops_per_second"]), f"{100 * figures['spread']:.0f} %",
            f"{figures['cpu_seconds_per_million']:.3g}", time(figures["p50"]),
            time(figures["p99"]), f"{switches:.3g}", share]))
    return lines


def cacheline_head(results):
    """The line of the head that says how far the CPUs were apart."""
    ways = [way for cell in results for way in cell["cacheline_ns"].values()]
    if not ways:
        return "- a cacheline's way between two CPUs: not measured"
    far = sum(way > FAR for way in ways) / len(ways)
    return (f"- a cacheline's way between two CPUs: {statistics.median(ways):.0f} ns "
            f"({min(ways):.0f} to {max(ways):.0f}), measured before each round; far (over {FAR} ns) "
            f"in {100 * far:.0f} % of the rounds")


def moved_cells(results):
    """Cells during which the CPUs were near and far: a line per group."""
    groups = {}
    for cell in results:
        ways = cell["cacheline_ns"].values()
        far = sum(way > FAR for way in ways)
        if 0 < far < len(ways):
            groups.setdefault(cell["group"], []).append(f"{cell['cell']} ({far} of {len(ways)})")
    if not groups:
        return []
    return ["", "The CPUs were near in some rounds of these cells and far in others (so many), as the host "
            "moves them; rounds differ for that reason too:", ""] + [
                f"- {group}: {'; '.join(cells)}" for group, cells in groups.items()]


def detail_tables(results, peers):
    lines = []
    for cell in results:
        if cell["kernel"]:
            continue
        lines += ["", f"#### {cell['group']}: {cell['cell']}", ""]
        if cell["cacheline_ns"]:
            ways = ", ".join(f"{way:.0f}" for _, way in sorted(cell["cacheline_ns"].items()))
            lines += [f"A cacheline's way, round by round: {ways} ns", ""]
        lines += head(["peer", "ops/s", "spread", "ratio (range)", "CPU s/M", "slow/fast",
                        "Jain", "p50", "p99", "p99.9", "max", "switches/s vol, invol",
                        "waits per M ops", "mismatched"])
        for peer in peers:
            figures = cell["peers"].get(peer.name)
            if figures is None or "value" not in figures:
                why = figures["failure"] if figures else "not supported or missing"
                lines.append(row([peer.name, why] + [""] * 12))
                continue
            seconds = figures["seconds"] or 1
            share = ""
            if figures.get("waits"):
                share = (f"{number(figures['mismatches_per_million'])} per M "
                         f"({percent(figures['mismatches'], figures['waits'])})")
            ratio = ""
            if "ratio" in figures:
                ratio = (f"{figures['ratio']:.2f} ({figures['ratio_low']:.2f} to "
                         f"{figures['ratio_high']:.2f})")
            lines.append(row([
                peer.name + (f" **{figures['failure']}**" if "failure" in figures else ""),
                number(figures["ops_per_second"]), f"{100 * figures['spread']:.0f} %", ratio,
                f"{figures['cpu_seconds_per_million']:.3g}",
                f"{figures['slowest_to_fastest']:.2f}", f"{figures['jain']:.2f}",
                time(figures["p50"]), time(figures["p99"]), time(figures["p999"]),
                time(figures["max"]),
                f"{number(figures['voluntary_switches'] / seconds)}, "
                f"{number(figures['involuntary_switches'] / seconds)}",
                number(figures.get("waits_per_million")), share]))
    return lines


def markdown(meta, results, peers, standings, charts):
    """standings: lines of the lists, and of the tables cell by cell."""
    lines = ["# Benchmark results", "", f"Made by `{meta['command']}`.", ""]
    lines += [f"- {key}: {value}" for key, value in meta["machine"].items()]
    lines += [
        f"- {meta['rounds']} rounds of {meta['seconds']} s per peer and cell, peers taking turns; "
        f"at most {FEW_ROUNDS} with one thread and without a lock library",
        f"- CPU time used by other work meanwhile: {100 * meta['foreign_cpu']:.0f} % of the "
        "machine (median over all runs)",
        cacheline_head(results),
        "",
    ]
    if meta["foreign_cpu"] > BUSY:
        lines += ["**The machine was busy with other work.** Runs take turns and so suffer alike, but "
                  "who sleeps in the kernel loses more by it than who spins: ratios above 1 of "
                  "hand-offs, barriers and queues come out too high, and long times to acquire are "
                  "the scheduler's.", ""]
    lines += [
        "Ratios are medians over rounds of the rate divided by glibc's in the same round; more is "
        "better, the best is bold. `~`: too noisy to call (the ratios of single rounds lie on both "
        "sides of 1 and more than 20 % apart). `n/a`: the library has no such operation. "
        "`free`: threads run where the scheduler puts them.",
    ]
    lines += moved_cells(results)
    lists, cell_by_cell = standings
    lines += lists
    if charts:
        lines += ["", "## Charts"]
    for chart in charts:
        lines += ["", f"![{chart.stem}]({chart.name})"]
    lines += ["", "## Ratios"] + ratio_tables(results, peers) + kernel_table(results)
    lines += cell_by_cell
    lines += ["", "## All figures"] + detail_tables(results, peers)
    return "\n".join(lines) + "\n"
