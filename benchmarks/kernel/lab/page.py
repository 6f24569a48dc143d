"""The tables of one or more results files, as Markdown."""

from . import debian, jobs, plan

LIMITS = """## What an emulator cannot show

A guest executes the kernel's instructions one by one and has neither caches nor a pipeline.

- **Cachelines** do not exist here. False sharing in a bucket (fix D), the bucket's place among lines (fix E), and the cost of
  a lock that wanders between CPUs show on real machines only.
- **SMAP**: opening and closing access to user memory is two instructions here, and tens of cycles on some CPUs. So the price of
  fix A on waits that match, and the two-thread bounce, must be measured on real machines.
- **Several CPUs** here are threads of the host, more of them than it has CPUs: who holds a lock may be preempted. Only the
  *direction* of those ratios means something, never their size; and that only on a host that does nothing else meanwhile.
- **Stock kernels** differ in more than the fixes, and are configured otherwise than the built ones.

For the real table: `scripts/kernel-lab --bare --label precheck` under each kernel on the machine itself, then
`scripts/kernel-lab --tables` with all the results files, or `ownline report diff A.json B.json`.
"""


def number(value):
    return f"{value:,.0f}".replace(",", " ")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


class Results:
    """The entries of a document, by name and variant."""

    def __init__(self, document):
        self.document = document
        self.entries = {(entry["name"], entry["variant"]): entry
                        for entry in document["results"]}
        self.variants = list(dict.fromkeys(entry["variant"] for entry in document["results"]))
        self.names = list(dict.fromkeys(entry["name"] for entry in document["results"]))

    def entry(self, name, variant, unit):
        entry = self.entries.get((name, variant))
        return entry if entry and entry["unit"] == unit else None

    def value(self, name, variant, unit):
        entry = self.entry(name, variant, unit)
        return entry["value"] if entry else None

    def own_variants(self):
        """Those of the kernel, without those of a process's hash."""
        return [name for name in self.variants if not name.startswith(plan.PRIVATE_HASH)]

    def names_in(self, unit):
        return [name for name in self.names
                if any(entry["unit"] == unit for (entry_name, _), entry in self.entries.items()
                       if entry_name == name)]


def unsure(one, other):
    """Whether chance may have put them in this order: rounds overlap, or there was only one."""
    if min(entry.get("rounds", 1) for entry in (one, other)) < 2:
        return True
    return one["least"] <= other["most"] and other["least"] <= one["most"]


def changed(entry, first, exact):
    """The figure, and by how much it differs from the first column's."""
    if entry is None:
        return ""
    text = number(entry["value"])
    if first and first is not entry:
        change = entry["value"] / first["value"] - 1
        if abs(change) >= 0.0005:
            text += f" ({change * 100:+.1f} %{'' if exact or not unsure(entry, first) else ' ~'})"
    return text


def side_by_side(names, columns, unit):
    """Rows of names; columns are (title, Results, variant)."""
    rows = []
    for name in names:
        entries = [results.entry(name, variant, unit) for _, results, variant in columns]
        if any(entries):
            rows.append([name] + [changed(entry, entries[0], unit == "instructions")
                                  for entry in entries])
    return table(["", *(title for title, _, _ in columns)], rows) if rows else ""


def is_workload(name):
    return name.endswith(tuple(f"({library})" for library in jobs.LIBRARIES))


def patched(results):
    names = [name for name in results.names if not is_workload(name)]
    columns = [(variant, results, variant) for variant in results.own_variants()]
    text = side_by_side(names, columns, "instructions")
    if not text:
        return ""
    return (f"## The fixes on {results.document['kernel']}\n\n"
            "Instructions per operation, kernel and user, and the change against the first column. "
            "Fix A is `precheck`, fix B\n`trylock`; the patches are in "
            "[benchmarks/kernel/patches](../../benchmarks/kernel/patches).\n\n" + text)


def relative(entry, first):
    """The ratio of two rates."""
    if not entry:
        return ""
    text = f"{entry['value'] / first['value']:.2f}"
    return text + " ~" if entry is not first and unsure(entry, first) else text


def contention(results):
    variants = results.own_variants()
    rows = []
    for name in results.names_in("ops/s"):
        entries = [results.entries.get((name, variant)) for variant in variants]
        if entries[0]:
            rows.append([name] + [relative(entry, entries[0]) for entry in entries])
    if not rows:
        return ""
    return (f"## Contention on {results.document['kernel']}: direction only\n\n"
            f"Operations per second in a guest with {results.document['cpus']} CPUs, relative to "
            f"`{variants[0]}`. The size of these ratios means nothing (see below); ~: rounds of "
            "the two overlap, or there was only one (`--quick`), so not even their order does.\n\n"
            + table(["", *variants], rows))


def stock_kernels(all_results):
    columns = [(results.document["kernel"], results, plan.STOCK) for results in all_results]
    names = dict.fromkeys(name for results in all_results for name in results.names
                          if not is_workload(name))
    text = side_by_side(names, columns, "instructions")
    if not text:
        return ""
    return ("## Stock kernels\n\nDebian's own images, instructions per operation.\n\n" + text
            + layout(all_results))


def layout(all_results):
    def key(results):
        return debian.version_key(results.document["kernel"])

    since = debian.version_key(plan.LAYOUT_SINCE)
    before = [results for results in all_results if key(results) < since]
    after = [results for results in all_results if key(results) >= since]
    if not before or not after:
        return ""
    old, new = max(before, key=key), min(after, key=key)
    return (f"\nFix D (the bucket's layout) is in {plan.LAYOUT_SINCE} and later: "
            f"{old.document['kernel']} against {new.document['kernel']} compares it, together "
            "with everything else\nthat changed between them. What it is for, fewer cachelines "
            "that wander, does not show here.\n")


def private_hash(results):
    variants = [name for name in results.variants if name.startswith(plan.PRIVATE_HASH)]
    first = results.own_variants()[:1]
    if not variants or not first:
        return ""
    columns = [(("the kernel's own choice" if name in first else
                 name.removeprefix(plan.PRIVATE_HASH + "-") + (" slots" if name[-1].isdigit()
                                                               else " hash")), results, name)
               for name in first + variants]
    text = side_by_side([name for name in jobs.EXACT if name in results.names], columns,
                        "instructions")
    return (f"### {results.document['kernel']}\n\n" + text) if text else ""


def libraries(all_results):
    rows = []
    columns = [(results, variant) for results in all_results
               for variant in results.own_variants()]
    for workload in jobs.WORKLOADS:
        cells = []
        for results, variant in columns:
            glibc, ours = (results.value(f"{workload} ({library})", variant, "instructions")
                           for library in jobs.LIBRARIES)
            cells.append(f"{number(glibc)} / {number(ours)}" if glibc and ours else "")
        if any(cells):
            rows.append([f"`{workload}`", *cells])
    if not rows:
        return ""
    head = [f"{results.document['kernel']}"
            + ("" if variant == plan.STOCK else f" {variant}") for results, variant in columns]
    return ("## Lock libraries on these kernels\n\nInstructions per operation of all threads, "
            "kernel and user, glibc's locks / ours, on one CPU. Idle time is not counted. "
            "The workloads are\nthose of [docs/benchmarks.md](../benchmarks.md). On one CPU a "
            "mutex is contended only when its owner loses the CPU. They depend on "
            "where the timer's ticks\nfall and on what our spinning has learnt in a tenth of a "
            "second: only large differences mean something.\n\n"
            + table(["", *head], rows))


def bare(all_results):
    text = ""
    for unit, title in (("ns", "Nanoseconds per operation"), ("ops/s", "Operations per second")):
        columns = [(f"{results.document['kernel']} {variant}", results, variant)
                   for results in all_results for variant in results.variants]
        names = dict.fromkeys(name for results in all_results for name in results.names)
        found = side_by_side(names, columns, unit)
        text += f"### {title}\n\n{found}\n" if found else ""
    return ("## Bare machines\n\nMedians of the rounds. ~: rounds overlap, or there was only one, so "
            "it may be chance.\n\n" + text) if text else ""


def environment(documents):
    rows = []
    for document in documents:
        patches = ", ".join(f"{name} {digest[:12]}"
                            for name, digest in document.get("patches", {}).items())
        rows.append([document["kernel"], document.get("package", ""), patches,
                     document["host"], document["date"], f"`{document['options']}`"])
    return ("## Where from\n\n"
            + table(["kernel", "package", "patches (SHA-256)", "host", "date", "command"], rows
                    ).replace("---:", "---"))


def markdown(documents):
    guests = [Results(document) for document in documents if document.get("emulated")]
    machines = [Results(document) for document in documents if not document.get("emulated")]
    built = [results for results in guests if results.document["built"]]
    stock = [results for results in guests if not results.document["built"]]
    parts = ["# Kernel lab\n\nThe method is in [benchmarks/kernel/README.md]"
             "(../../benchmarks/kernel/README.md), the commands are at the end.\n"]
    parts += [patched(results) for results in built]
    parts += [contention(results) for results in built]
    hashes = [private_hash(results) for results in stock + built]
    if any(hashes):
        parts.append("## The private hash (fix C)\n\nInstructions per operation of processes that "
                     "chose a hash by prctl. More slots save collisions, not instructions.\n")
        parts += hashes
    parts += [stock_kernels(stock), libraries(stock + built), bare(machines)]
    if guests:
        parts.append(LIMITS)
    parts.append(environment(documents))
    return "\n".join(part for part in parts if part)
