"""Where ownline stands, as Markdown: each demand, the cells that miss it, and every cell in a row."""

from runner.bounds import bound
from runner.tables import head, number, percent, row, time
from runner.verdicts import CLOSE, FEWER, HELD, LOST, MEAN, UNCLEAR, allowed_mismatches


def _times(compared):
    """A ratio with its range."""
    return (f"{compared['ratio']:.2f}{' ~' if compared['noisy'] else ''} "
            f"({compared['ratio_low']:.2f} to {compared['ratio_high']:.2f})")


def _pair(pair, show):
    return ["", ""] if pair is None else [show(value) for value in pair]


def _fraction(value):
    return f"{value:.2f}"


def _of_waits(one, index):
    """Counts, so that a reader can judge whether they are enough."""
    return f"{one['mismatches'][index]} of {one['waits'][index]}"


def _share(one, index):
    return percent(one["mismatches"][index], one["waits"][index])


def _per_million(one, index):
    return number(one["mismatches_per_million"][index])


def _fewer(one):
    mine, glibc = one["mismatches_per_million"]
    if mine:
        return f"{glibc / mine:.3g}"
    return "none here" if glibc else "none in both"


# Of the cells that do not meet a demand, and of those that had too little to tell.
TITLES = {
    "glibc": ("slower than glibc", ""),
    "best": ("slower than the best peer", ""),
    "fairness": ("less fair than glibc", ""),
    "tail": ("p99.9 longer than glibc's", ""),
    "cpu": ("more CPU per operation than the best peer", ""),
    "share": ("1 % of the waits and more mismatch", "too few waits to tell their mismatched share"),
    "fewer": (f"not {FEWER} times fewer mismatches per operation than glibc",
              "too few mismatches of glibc's to tell how many times fewer"),
}

# Of each demand: the columns of its list, and the fields of a cell.
LISTS = {
    "glibc": (["times glibc (range)"], lambda one: [_times(one["glibc"])]),
    "best": (["best peer", "times the best peer (range)", "within noise (0.97)"],
             lambda one: [one["best_peer"], _times(one["best"]),
                          "yes" if one["judged"]["best"] == CLOSE else ""]),
    "fairness": (["slowest/fastest", "glibc's", "Jain's index", "glibc's"],
                 lambda one: _pair(one["slowest_to_fastest"], _fraction)
                 + _pair(one["jain"], _fraction)),
    "tail": (["p99.9", "glibc's", "times"],
             lambda one: _pair(one["p999"], time) + [f"{one['p999'][0] / one['p999'][1]:.2f}"
                                                     if one["p999"][1] else ""]),
    "cpu": (["CPU s per M ops", "best peer", "its CPU s per M ops", "times (range)"],
            lambda one: [f"{one['cpu'][0]:.3g}", one["best_peer"], f"{one['cpu'][1]:.3g}",
                         _times(one["cpu_times"])]),
    "share": (["mismatches of waits", "share", "glibc's mismatches of waits", "share"],
              lambda one: [_of_waits(one, 0), _share(one, 0), _of_waits(one, 1), _share(one, 1)]),
    "fewer": (["mismatches of waits", "per M ops", "glibc's", "per M ops", "times fewer",
               f"allowed: 1/{FEWER} of glibc's in as many operations"],
              lambda one: [_of_waits(one, 0), _per_million(one, 0), _of_waits(one, 1),
                           _per_million(one, 1), _fewer(one), f"{allowed_mismatches(one):.3g}"]),
}


def _bound(one, key):
    return bound(key, one["cell"]) if one["judged"][key] == LOST else ""


def _list(name, verdict, demand, outcomes, title):
    rows = [one for one in verdict["cells"] if one["judged"][demand["key"]] in outcomes]
    if not rows:
        return []
    columns, fields = LISTS[demand["key"]]
    bounded = LOST in outcomes
    return (["", f"#### {name}: {title}", ""]
            + head(["cell"] + columns + ["what bounds it"] * bounded)
            + [row([one["cell"]] + fields(one) + [_bound(one, demand["key"])] * bounded) for one in rows])


def _mean(verdict):
    mean = verdict["geometric_mean"]
    if mean is None:
        return []
    return [f"Geometric mean over {verdict['contended_cells']} contended cells: **{mean:.2f}** times glibc "
            f"(wanted: at least {MEAN}; {HELD if mean >= MEAN else LOST})."]


def summary_lines(name, verdict):
    """A line a demand, for people at a terminal; none if no cell has a lock library."""
    if not verdict["cells"] and not verdict["missing"]:
        return []
    lines = ["", f"{name}:"] + [line.replace("**", "") for line in _mean(verdict)]
    for demand in verdict["demands"]:
        counts = [f"{len(demand[outcome])} {outcome}" for outcome in (HELD, CLOSE, LOST, UNCLEAR)
                  if demand[outcome]]
        if counts:
            lines.append(f"- {demand['text']}: {', '.join(counts)}")
    if verdict["missing"]:
        lines.append(f"- not measured: {'; '.join(verdict['missing'])}")
    return lines


def lists(name, verdict):
    """How many cells meet each demand, then every cell that does not, with its figures."""
    if not verdict["cells"]:
        return []
    lines = ["", f"## Where {name} stands", ""] + _mean(verdict) + [""]
    outcomes = (HELD, CLOSE, LOST, UNCLEAR)
    lines += head(["what is to be shown, cells", *outcomes])
    for demand in verdict["demands"]:
        lines.append(row([demand["text"]] + [str(len(demand[outcome])) if demand[outcome] else ""
                                             for outcome in outcomes]))
    if verdict["missing"]:
        lines += ["", f"Not measured: {'; '.join(verdict['missing'])}."]
    for demand in verdict["demands"]:
        lost, unclear = TITLES[demand["key"]]
        lines += _list(name, verdict, demand, (LOST, CLOSE), lost)
        lines += _list(name, verdict, demand, (UNCLEAR,), unclear)
    return lines


def _marked(text, outcome):
    return f"**{text}**" if outcome == LOST else f"*{text}*" if outcome == CLOSE else text


def _beside(pair, show):
    return "" if pair is None else f"{show(pair[0])} ({show(pair[1])})"


def _cell_row(one):
    judged = one["judged"]
    best = one["best"]
    counts = few = ""
    if one["waits"]:
        counts = f"{_of_waits(one, 0)} ({_of_waits(one, 1)})"
        few = f"{_per_million(one, 0)} ({_per_million(one, 1)})"
    return row([
        one["cell"] + (" c" if one["contended"] else ""),
        _marked(f"{one['glibc']['ratio']:.2f}", judged["glibc"])
        + (" ~" if one["glibc"]["noisy"] else ""),
        _marked(f"{best['ratio']:.2f}", judged["best"]) + (" ~" if best["noisy"] else "")
        + f" {one['best_peer']}" if best else "",
        _marked(f"{one['cpu_times']['ratio']:.2f}", judged["cpu"]) if one["cpu_times"] else "",
        _marked(_beside(one["slowest_to_fastest"], _fraction), judged["fairness"]),
        _marked(_beside(one["jain"], _fraction), judged["fairness"]),
        _marked(_beside(one["p999"], time), judged["tail"]),
        _marked(counts, judged["share"]) + (" ?" if judged["share"] == UNCLEAR else ""),
        _marked(few, judged["fewer"]) + (" ?" if judged["fewer"] == UNCLEAR else "")])


def cell_by_cell(name, verdict):
    if not verdict["cells"]:
        return []
    lines = ["", f"## {name}, cell by cell", "",
             "Glibc's figure in brackets. Bold: what is to be shown is not; italic: within noise of the "
             "best peer; `~`: too noisy to call; `?`: too few waits, or mismatches of glibc's, to tell; "
             "`c`: a contended cell.", ""]
    lines += head(["cell", "times glibc", "times best peer", "CPU per op, times best peer's",
                   "slowest/fastest", "Jain", "p99.9", "mismatches of waits", "mismatches per M ops"])
    return lines + [_cell_row(one) for one in verdict["cells"]]
