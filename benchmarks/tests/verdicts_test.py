#!/usr/bin/env python3
"""What the runner says of ownline, demand by demand, on made-up runs."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runner import bounds, matrix, standing, store, summary, tables, verdicts  # noqa: E402
from runner.verdicts import CLOSE, HELD, LOST, UNCLEAR  # noqa: E402

CONTENDED = matrix.Cell("group", "mutex 8 50 100", True, True, 61, True)
APART = matrix.Cell("group", "packed 8", True, False, 61, True)
SINGLE = matrix.Cell("group", "uncontended", True, False, 61, True, timed=True)
PEERS = [peer for peer in matrix.PEERS if peer.name in ("glibc", "nsync", "ownline")]
GLIBC, NSYNC, OWNLINE = PEERS

USUAL = {"cpu": 1.0, "fairness": 0.5, "jain": 0.9, "p999": 1000}
# Of a million operations each: 30 000 waits of glibc's, nearly all in vain.
WAITS = {"glibc": (30000, 29000), "ownline": (1000, 5)}


def run(rate, cpu, fairness, jain, p999):
    return {"operations": 1000, "ops_per_second": rate, "cpu_seconds_per_million": cpu,
            "slowest_to_fastest": fairness, "jain": jain, "voluntary_switches": 1,
            "involuntary_switches": 1, "seconds": 1, "foreign_cpu": 0.0,
            "acquire_ns": {"p50": 10, "p99": 100, "p999": p999, "max": 2000}}


class MadeUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "runs.jsonl"

    def verdict(self, cell=CONTENDED, rates=(3000,) * 3, waits=None, **mine):
        """glibc does 1000 operations a second, nsync 2000 for half the CPU time each."""
        results = store.Store(self.path, {}, True)
        for turn, rate in enumerate(rates):
            results.add(cell, GLIBC, turn, run(1000, **{**USUAL, "cpu": 2.0}))
            results.add(cell, NSYNC, turn, run(2000, **USUAL))
            results.add(cell, OWNLINE, turn, run(rate, **{**USUAL, **mine}))
        for name, (started, mismatched) in {**WAITS, **(waits or {})}.items():
            counted = {"operations": 1000000, "futex": {"waits": started, "mismatches": mismatched}}
            results.add(cell, next(peer for peer in PEERS if peer.name == name), "counted", counted)
        return verdicts.verdict([summary.cell_figures(cell, PEERS, results)], "ownline")


class Demands(MadeUp):
    def judged(self, *arguments, **mine):
        return self.verdict(*arguments, **mine)["cells"][0]["judged"]

    def test_all_shown(self):
        verdict = self.verdict()
        self.assertEqual(set(verdict["cells"][0]["judged"].values()), {HELD})
        self.assertAlmostEqual(verdict["geometric_mean"], 3)
        self.assertAlmostEqual(verdict["cells"][0]["best"]["ratio"], 1.5)
        self.assertEqual(verdict["cells"][0]["best_peer"], "nsync")

    def test_geometric_mean_is_of_contended_cells(self):
        self.assertIsNone(self.verdict(APART)["geometric_mean"])
        results = [{"cell": name, "group": "", "kernel": False, "timed": True, "contended": True,
                    "peers": {"glibc": self.peer(1), "ownline": self.peer(ratio)}}
                   for name, ratio in (("one", 2), ("two", 8))]
        self.assertAlmostEqual(verdicts.verdict(results, "ownline")["geometric_mean"], 4)

    @staticmethod
    def peer(ratio):
        return {"ratio": ratio, "ratio_low": ratio, "ratio_high": ratio, "noisy": False,
                "values": {0: ratio}, "cpu_values": {0: 1}, "cpu_seconds_per_million": 1}

    def test_glibc_within_noise(self):
        self.assertEqual(self.judged(rates=[970] * 3)["glibc"], HELD)
        self.assertEqual(self.judged(rates=[960] * 3)["glibc"], LOST)

    def test_best_peer(self):
        for rate, outcome in ((2000, HELD), (1960, CLOSE), (1900, LOST)):
            self.assertEqual(self.judged(rates=[rate] * 3)["best"], outcome)

    def test_best_peer_may_be_glibc(self):
        results = [{"cell": "one", "group": "", "kernel": False, "timed": True, "contended": False,
                    "peers": {"glibc": self.peer(1), "nsync": self.peer(0.5), "ownline": self.peer(0.9)}}]
        row = verdicts.verdict(results, "ownline")["cells"][0]
        self.assertEqual(row["best_peer"], "glibc")
        self.assertEqual(row["judged"]["best"], LOST)

    def test_fairness_by_both_measures(self):
        for mine, outcome in (({"fairness": 0.46}, HELD), ({"fairness": 0.4}, LOST), ({"jain": 0.7}, LOST)):
            self.assertEqual(self.judged(**mine)["fairness"], outcome, mine)

    def test_tail(self):
        self.assertEqual(self.judged(p999=1100)["tail"], HELD)
        self.assertEqual(self.judged(p999=1200)["tail"], LOST)

    def test_cpu_is_compared_with_the_fastest_peer_and_not_with_the_cheapest(self):
        self.assertEqual(self.judged(cpu=1.09)["cpu"], HELD)
        self.assertEqual(self.judged(cpu=1.2)["cpu"], LOST)
        row = self.verdict(cpu=1.2)["cells"][0]
        self.assertEqual(row["cpu"], (1.2, 1.0))
        self.assertAlmostEqual(row["cpu_times"]["ratio"], 1.2)

    def test_one_thread_has_no_fairness(self):
        judged = self.judged(SINGLE, cpu=0.5)
        self.assertEqual([judged[key] for key in ("fairness", "tail", "share", "fewer")], [None] * 4)
        self.assertEqual(judged["glibc"], HELD)

    def test_cells_without_contention_owe_no_mismatches(self):
        judged = self.judged(APART, waits={"ownline": (1000, 900)})
        self.assertEqual((judged["share"], judged["fewer"]), (None, None))

    def test_share_of_mismatches(self):
        for counts, outcome in (((1000, 9), HELD), ((1000, 10), LOST), ((300, 2), HELD),
                                ((300, 3), LOST), ((299, 0), UNCLEAR), ((5, 2), UNCLEAR),
                                ((0, 0), UNCLEAR), ((200, 4), LOST)):
            self.assertEqual(self.judged(waits={"ownline": counts})["share"], outcome, counts)

    def test_a_hundred_times_fewer(self):
        for glibc, mine, outcome in (((30000, 29000), (9000, 290), HELD),
                                     ((30000, 29000), (9000, 291), LOST),
                                     ((500, 299), (10, 3), UNCLEAR), ((500, 299), (10, 4), LOST),
                                     ((500, 300), (10, 3), HELD), ((9, 0), (9, 0), UNCLEAR)):
            self.assertEqual(self.judged(waits={"glibc": glibc, "ownline": mine})["fewer"], outcome,
                             (glibc, mine))

    def test_uncounted_cells_are_not_judged(self):
        results = [{"cell": "one", "group": "", "kernel": False, "timed": False, "contended": True,
                    "peers": {"glibc": self.peer(1), "ownline": self.peer(2)}}]
        judged = verdicts.verdict(results, "ownline")["cells"][0]["judged"]
        self.assertEqual((judged["share"], judged["fewer"], judged["tail"]), (None, None, None))
        self.assertIn("| one c | 2.00 |", "\n".join(standing.cell_by_cell(
            "ownline", verdicts.verdict(results, "ownline"))))

    def test_failed_cells_are_named(self):
        results = [{"cell": "one", "group": "", "kernel": False, "timed": False, "contended": True,
                    "peers": {"glibc": self.peer(1), "ownline": {"failure": "hung"}}}]
        verdict = verdicts.verdict(results, "ownline")
        self.assertEqual((verdict["missing"], verdict["cells"]), (["one"], []))
        self.assertIn("- not measured: one", standing.summary_lines("ownline", verdict))

    def test_the_kernels_cells_alone_say_nothing_of_a_library(self):
        results = [{"cell": "hash 1", "group": "", "kernel": True, "timed": True,
                    "contended": False, "peers": {"kernel": self.peer(1)}}]
        verdict = verdicts.verdict(results, "ownline")
        for lines in (standing.summary_lines, standing.lists, standing.cell_by_cell):
            self.assertEqual(lines("ownline", verdict), [])


class Bounds(unittest.TestCase):
    def test_first_fit_counts(self):
        for demand, cell, name in (("best", "random 8, pinned", "many mutexes"), ("tail", "random 8, free", "time slices"),
                                   ("fairness", "queue 4 4 64 1, free", "those who work"),
                                   ("cpu", "trylock 8 50 100, free", "tries"), ("glibc", "mutex 8 50 100, free", bounds.UNKNOWN)):
            self.assertEqual(bounds.bound(demand, cell), name, (demand, cell))

    def test_each_is_explained_and_fits_a_cell(self):
        text = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        explained = text.split("## What bounds the cells")[1].split("\n## ")[0]
        workloads = {cell.workload for cell in matrix.cells(False, "")}
        for _, pattern, name in bounds.BOUNDS:
            if name != bounds.UNKNOWN:
                self.assertIn(f"- **{name}**", explained)
            self.assertTrue(any(bounds.fnmatch(workload, pattern) for workload in workloads), pattern)
        for line in explained.splitlines():
            if line.startswith("- **"):
                self.assertIn(line.split("**")[1], {name for _, _, name in bounds.BOUNDS})


class Shares(unittest.TestCase):
    def test_in_digits(self):
        for part, whole, text in ((999, 1000, "100 %"), (1, 1, "100 %"), (1, 3, "33 %"), (1, 30, "3.3 %"), (995, 10000, "10 %"),
                                  (0, 5, "0 %"), (0, 0, "")):
            self.assertEqual(tables.percent(part, whole), text)
        for value, text in ((999.4, "999"), (999.6, "1 k"), (999600, "1 M"), (0.0123, "0.0123"), (12345, "12.3 k")):
            self.assertEqual(tables.number(value), text)


class Lists(MadeUp):
    def lines(self, **more):
        return standing.lists("ownline", self.verdict(**more))

    def test_what_is_lost_stands_there_with_its_figures(self):
        lines = self.lines(rates=[960] * 3, cpu=3.0, fairness=0.1, p999=5000,
                           waits={"ownline": (1000, 500)})
        for line in ("| mutex 8 50 100, pinned | 0.96 (0.96 to 0.96) | not known |",
                     "| mutex 8 50 100, pinned | nsync | 0.48 (0.48 to 0.48) |  | brief sections |",
                     "| mutex 8 50 100, pinned | 0.10 | 0.50 | 0.90 | 0.90 | time slices |",
                     "| mutex 8 50 100, pinned | 5 us | 1 us | 5.00 | brief sections |",
                     "| mutex 8 50 100, pinned | 3 | nsync | 1 | 3.00 (3.00 to 3.00) | brief sections |",
                     "| mutex 8 50 100, pinned | 500 of 1000 | 50 % | 29000 of 30000 | 97 % | few waits |",
                     "| mutex 8 50 100, pinned | 500 of 1000 | 500 | 29000 of 30000 | 29 k | 58 | 290 | few waits |"):
            self.assertIn(line, lines)

    def test_nothing_lost_makes_no_list(self):
        lines = self.lines()
        self.assertEqual([line for line in lines if line.startswith("####")], [])
        self.assertIn("| at least 0.97 times glibc | 1 |  |  |  |", lines)

    def test_within_noise_is_told(self):
        self.assertIn("| mutex 8 50 100, pinned | nsync | 0.98 (0.98 to 0.98) | yes |  |",
                      self.lines(rates=[1960] * 3))

    def test_too_few_waits_have_a_list_of_their_own(self):
        lines = self.lines(waits={"ownline": (5, 2)})
        start = next(i for i, line in enumerate(lines) if "too few waits to tell" in line)
        self.assertIn("| mutex 8 50 100, pinned | 2 of 5 | 40 % | 29000 of 30000 | 97 % |", lines[start:])

    def test_marks_in_the_row_of_the_cell(self):
        row = standing.cell_by_cell("ownline", self.verdict(
            rates=[1960] * 3, p999=5000, waits={"ownline": (5, 2)}))[-1]
        self.assertEqual(row, "| mutex 8 50 100, pinned c | 1.96 | *0.98* nsync | 1.00 | 0.50 (0.50) | "
                         "0.90 (0.90) | **5 us (1 us)** | 2 of 5 (29000 of 30000) ? | 2 (29 k) |")


if __name__ == "__main__":
    unittest.main()
