#!/usr/bin/env python3
"""The runner's arithmetic, its memory, and its tables, on made-up runs."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runner import matrix, store, summary, tables  # noqa: E402

CELL = matrix.Cell("group", "mutex 8 50 100", True, True, 61, True)
PEERS = [peer for peer in matrix.PEERS if peer.name in ("glibc", "nsync", "ownline")]
GLIBC, NSYNC, OWNLINE = PEERS


def run(rate, cpu=1.0, fairness=0.5, p999=1000, waits=None):
    result = {"operations": rate, "ops_per_second": rate, "cpu_seconds_per_million": cpu,
              "slowest_to_fastest": fairness, "jain": 0.9, "voluntary_switches": 1,
              "involuntary_switches": 1, "seconds": 1, "foreign_cpu": 0.0,
              "acquire_ns": {"p50": 10, "p99": 100, "p999": p999, "max": 2000}}
    if waits:
        result["futex"] = {"waits": waits[0], "mismatches": waits[1], "timeouts": 0, "wakes": 0}
    return result


class WithStore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "runs.jsonl"
        self.store = store.Store(self.path, {"seconds": 1}, False, "then")

    def fill(self, peer, rates, **more):
        for turn, rate in enumerate(rates):
            self.store.add(CELL, peer, turn, run(rate, **more))

    def figures(self):
        return summary.cell_figures(CELL, PEERS, self.store)


class Ratios(WithStore):
    def test_taken_within_a_round(self):
        # The host halves its speed after each round; the ratio is 2 all the same.
        self.fill(GLIBC, [1000, 500, 250])
        self.fill(OWNLINE, [2000, 1000, 500])
        peers = self.figures()["peers"]
        self.assertAlmostEqual(peers["ownline"]["ratio"], 2)
        self.assertFalse(peers["ownline"]["noisy"])

    def test_noisy_when_rounds_disagree(self):
        self.fill(GLIBC, [1000, 1000, 1000])
        self.fill(OWNLINE, [700, 1000, 1300])
        self.assertTrue(self.figures()["peers"]["ownline"]["noisy"])

    def test_one_outlier_of_five_is_left_out(self):
        self.fill(GLIBC, [1000] * 5)
        self.fill(OWNLINE, [1200, 1210, 1220, 1230, 100])
        peers = self.figures()["peers"]
        self.assertFalse(peers["ownline"]["noisy"])
        self.assertAlmostEqual(peers["ownline"]["ratio"], 1.21)

    def test_wide_but_clearly_faster_is_no_noise(self):
        self.fill(GLIBC, [1000, 1000, 1000])
        self.fill(OWNLINE, [2000, 3000, 4000])
        self.assertFalse(self.figures()["peers"]["ownline"]["noisy"])

    def test_unsupported_and_failed_are_told_apart(self):
        self.fill(GLIBC, [1000])
        self.store.add(CELL, NSYNC, 0, None)
        self.store.add(CELL, OWNLINE, 0, {"failure": "hung"})
        peers = self.figures()["peers"]
        self.assertNotIn("nsync", peers)
        self.assertEqual(peers["ownline"], {"failure": "hung"})
        text = "\n".join(tables.ratio_tables([self.figures()], PEERS))
        self.assertIn("n/a", text)
        self.assertIn("hung!", text)


class Verdicts(WithStore):
    def verdict(self, **mine):
        self.fill(GLIBC, [1000] * 3, cpu=2.0, fairness=0.5, p999=1000)
        self.fill(NSYNC, [2000] * 3, cpu=1.0)
        self.fill(OWNLINE, [mine.pop("rate", 3000)] * 3, **mine)
        self.store.add(CELL, GLIBC, "counted", run(1000000, waits=(30000, 29000)))
        self.store.add(CELL, OWNLINE, "counted",
                       run(1000000, waits=self.waits if hasattr(self, "waits") else (1000, 5)))
        return summary.verdicts([self.figures()], "ownline")

    def losses(self, verdict):
        return [bar["text"] for bar in verdict["bars"] if bar["losers"]]

    def test_all_won(self):
        verdict = self.verdict()
        self.assertEqual(self.losses(verdict), [])
        self.assertAlmostEqual(verdict["geometric_mean"], 3)

    def test_slower_than_the_best_rival(self):
        self.assertEqual(self.losses(self.verdict(rate=1500)),
                         ["at least 0.97 times the best rival"])

    def test_bought_with_starvation(self):
        self.assertIn("slowest/fastest", self.losses(self.verdict(fairness=0.1))[0])

    def test_bought_with_waiting(self):
        self.assertIn("p99.9", self.losses(self.verdict(p999=5000))[0])

    def test_bought_with_cpu(self):
        self.assertIn("CPU", self.losses(self.verdict(cpu=1.2))[0])

    def test_mismatches(self):
        self.waits = (1000, 500)
        self.assertEqual(len(self.losses(self.verdict())), 2)


class Memory(WithStore):
    def test_goes_on_where_it_was(self):
        self.fill(GLIBC, [1, 2])
        again = store.Store(self.path, {"seconds": 1}, False, "later")
        self.assertEqual(again.about, "then")
        self.assertEqual(again.resumed, 2)
        self.assertIn((CELL.name, "glibc", 1), again)

    def test_a_line_cut_off_is_measured_again(self):
        self.fill(GLIBC, [1, 2])
        self.path.write_text(self.path.read_text()[:-20])
        again = store.Store(self.path, {"seconds": 1}, False)
        self.assertEqual(again.resumed, 1)
        again.add(CELL, GLIBC, 1, run(5))
        self.assertEqual(store.Store(self.path, {"seconds": 1}, False).resumed, 2)

    def test_other_parameters_begin_anew(self):
        self.fill(GLIBC, [1, 2])
        self.assertEqual(store.Store(self.path, {"seconds": 2}, False).resumed, 0)
        self.assertEqual(len(self.path.read_text().splitlines()), 1)

    def test_finished_begins_anew(self):
        self.fill(GLIBC, [1, 2])
        self.store.finish()
        self.assertEqual(store.Store(self.path, {"seconds": 1}, False).resumed, 0)


class Cells(unittest.TestCase):
    def test_names_are_unique(self):
        names = [cell.name for cell in matrix.cells(False, None)]
        self.assertEqual(len(names), len(set(names)))

    def test_quick_is_a_part(self):
        self.assertLess(set(matrix.cells(True, None)), set(matrix.cells(False, None)))

    def test_patterns(self):
        self.assertTrue(all(cell.pinned for cell in matrix.cells(False, "*, pinned")))
        self.assertEqual({cell.workload for cell in matrix.cells(False, "chat 200")},
                         {"chat 200"})


if __name__ == "__main__":
    unittest.main()
