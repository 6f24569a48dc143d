"""Charts by gnuplot: a bar per peer and cell, a file per group of cells."""

import shutil
import subprocess

COLOURS = {"adaptive": "#9aa5b1", "nsync": "#e0a458", "abseil": "#c8553d",
           "parking_lot": "#6a4c93", "ownline": "#2a9d8f", "ownline-native": "#264653"}


def _script(group, cells, names, target):
    width = max(700, 140 + len(cells) * (30 + 16 * len(names)))
    lines = [
        f"set terminal svg size {width},420 dynamic background rgb 'white' font 'sans-serif,11'",
        f"set output '{target}'",
        f"set title \"{group}: operations per second, glibc = 1\" noenhanced",
        "set style data histogram", "set style histogram clustered gap 1.5",
        "set style fill solid border rgb 'white'", "set boxwidth 0.95",
        "set logscale y 2", "set ylabel 'times glibc'", "set grid ytics lc rgb '#dddddd'",
        "set xtics rotate by -25 left noenhanced", "set key outside right top noenhanced",
        "set yrange [*<0.5:2<*]",
        "$data << END",
    ]
    for cell in cells:
        values = [cell["peers"].get(name, {}).get("ratio") for name in names]
        lines.append(f"\"{cell['cell']}\" " + " ".join(
            "NaN" if value is None else f"{value:.4f}" for value in values))
    lines.append("END")
    plots = [f"$data using {i + 2}:xtic(1) title '{name}' lc rgb '{COLOURS[name]}'"
             for i, name in enumerate(names)]
    lines.append("plot 1 with lines lc rgb '#444444' notitle, " + ", ".join(plots))
    return "\n".join(lines) + "\n"


def draw(results, peers, folder):
    """The files that were made; none without gnuplot."""
    if not shutil.which("gnuplot"):
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
