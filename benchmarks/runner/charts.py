"""Charts by gnuplot, a file per group of cells: a row per cell, a mark per peer with its range."""

import shutil
import subprocess

COLOURS = {"adaptive": "#9aa5b1", "nsync": "#e0a458", "abseil": "#c8553d",
           "parking_lot": "#6a4c93", "ownline": "#0a7d4f", "ownline-native": "#1d4ed8"}


def _script(group, cells, names, target):
    row = 0.11 * len(names) + 0.25
    height = 110 + int(len(cells) * row * 95)
    lines = [
        f"set terminal svg size 860,{height} background rgb 'white' font 'sans-serif,12'",
        f"set output '{target}'",
        f"set title \"{group}: operations per second, glibc = 1\" noenhanced",
        "set logscale x 2", "set xtics format '%g'", "set grid xtics lc rgb '#dddddd'",
        "set xrange [*<0.7:1.5<*]", f"set yrange [{-0.3}:{len(cells) * row:.3f}]",
        "set key outside bottom center horizontal noenhanced",
        "set border 1", "set tics scale 0.5", "set lmargin 26", "set ytics nomirror noenhanced",
        "set ytics (" + ", ".join(
            f"\"{cell['cell']}\" {_place(len(cells) - 1 - i, row, len(names), None):.3f}"
            for i, cell in enumerate(cells)) + ")",
        "set arrow from first 1, graph 0 to first 1, graph 1 nohead lw 1.5 lc rgb '#444444'",
    ]
    for number, name in enumerate(names):
        lines.append(f"$peer{number} << END")
        for i, cell in enumerate(cells):
            figures = cell["peers"].get(name, {})
            if "ratio" in figures:
                y = _place(len(cells) - 1 - i, row, len(names), number)
                lines.append(f"{figures['ratio']:.4f} {y:.3f} {figures['ratio_low']:.4f} "
                             f"{figures['ratio_high']:.4f}")
        lines.append("END")
    plots = []
    for number, name in enumerate(names):
        big = 0.9 if name.startswith("ownline") else 0.6
        plots.append(f"$peer{number} using 1:2:3:4 with xerrorbars pt 7 ps {big} lw 1.5 "
                     f"lc rgb '{COLOURS[name]}' title '{name}'")
    lines.append("plot " + ", ".join(plots))
    return "\n".join(lines) + "\n"


def _place(cell, row, peers, number):
    """Height of a peer's mark in a cell's row; of the row's middle without a number."""
    middle = (peers - 1) / 2
    return cell * row + 0.11 * (peers - 1 - (middle if number is None else number))


def draw(results, peers, folder):
    """The files that were made; none without gnuplot."""
    if not shutil.which("gnuplot"):
        print("bench: no charts; install gnuplot-nox")
        return []
    made = []
    groups = {}
    for cell in results:
        if not cell["kernel"]:
            groups.setdefault(cell["group"], []).append(cell)
    for group, cells in groups.items():
        names = [peer.name for peer in peers
                 if peer.name != "glibc" and any("ratio" in cell["peers"].get(peer.name, {})
                                                 for cell in cells)]
        if not names:
            continue
        target = folder / (group.replace(", ", "-").replace(" ", "-") + ".svg")
        done = subprocess.run(["gnuplot"], input=_script(group, cells, names, target), text=True,
                              capture_output=True, check=False)
        if done.returncode == 0 and target.exists():
            made.append(target)
        else:
            print(f"bench: gnuplot: {done.stderr.strip()}")
    return made
