#!/usr/bin/env python3
"""The runner's medians and ratios, its memory, its matrix and its command line, and the bar that has
a ceiling, on made-up runs."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runner import host, matrix, measure, store, summary, tables  # noqa: E402

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"
SCRIPT = SCRIPTS / "bench"
sys.path.insert(0, str(SCRIPTS))

CELL = matrix.Cell("group", "mutex 8 50 100", True, True, 61, True)
OTHER = matrix.Cell("group", "mutex 2 50 100", True, True, 61, True)
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


class Cacheline(WithStore):
    def measured(self, ways, cell=CELL):
        for peer in (GLIBC, OWNLINE):
            for turn, way in enumerate(ways):
                self.store.add(cell, peer, turn, {**run(1000), "cacheline_ns": way})
        # The run that is counted belongs to no round.
        self.store.add(cell, GLIBC, "counted", {**run(1000), "cacheline_ns": 1})

    def test_head_counts_each_round_once(self):
        self.measured([25, 160, 24, 26, 8])
        self.assertEqual(tables.cacheline_head([self.figures()]),
                         "- a cacheline's way between two CPUs: 25 ns (8 to 160), measured before each "
                         "round; far (over 75 ns) in 20 % of the rounds")

    def test_cells_in_which_it_changed_are_named(self):
        self.measured([25, 160, 150])
        self.measured([150, 150, 150], OTHER)
        lines = tables.moved_cells([self.figures(), summary.cell_figures(OTHER, PEERS, self.store)])
        self.assertEqual(lines[-1], "- group: mutex 8 50 100, pinned (2 of 3)")
        text = "\n".join(tables.detail_tables([self.figures()], PEERS))
        self.assertIn("round by round: 25, 160, 150 ns\n", text)

    def test_runs_of_before_have_none(self):
        self.fill(GLIBC, [1000])
        self.store.add(CELL, OWNLINE, 0, None)
        figures = [self.figures()]
        self.assertIn("not measured", tables.cacheline_head(figures))
        self.assertEqual(tables.moved_cells(figures), [])
        self.assertNotIn("cacheline", "\n".join(tables.detail_tables(figures, PEERS)))

    def program(self, body):
        """What a measurer reads of such an own-workload."""
        path = self.path.with_name("own-workload")
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return measure.Measurer(path.parent, None).cacheline()

    def test_read_from_the_program(self):
        self.assertEqual(self.program("echo \"{\\\"$2\\\": 1, \\\"one_way_ns\\\": 25.5}\""), 25.5)
        self.assertIsNone(self.program("exit 2"))
        self.assertIsNone(self.program("echo '{}'"))


class Refusal(Exception):
    pass


class RefusingParser:
    def error(self, message, remedy=None):
        raise Refusal(f"{message}; {remedy}")


class OneMeasurementAtATime(WithStore):
    def test_the_second_is_refused_until_the_first_has_ended(self):
        folder = self.path.parent
        first = host.measure_alone(RefusingParser(), folder)
        with self.assertRaisesRegex(Refusal, f"process {os.getpid()} measures already"):
            host.measure_alone(RefusingParser(), folder)
        first.close()
        host.measure_alone(RefusingParser(), folder).close()


def load_bars():
    loader = importlib.machinery.SourceFileLoader("bars", str(SCRIPTS / "bars"))
    bars = importlib.util.module_from_spec(importlib.util.spec_from_loader("bars", loader))
    loader.exec_module(bars)
    return bars


class MadeUpRunner:
    """Rates by workload and peer."""

    def __init__(self, rates):
        self.rates = rates

    def available(self, peer):
        return True

    def run(self, peer, workload):
        return {"ops_per_second": self.rates.get((workload, peer), self.rates.get(workload))}


class Ceiling(unittest.TestCase):
    """The bar of the hot mutex, where glibc does 1 million operations a second with eight threads."""

    def compare(self, mine, share):
        """share: of the ceiling, glibc's rate."""
        bars = load_bars()
        bar = next(bar for bar in bars.BARS if bar.alone)
        alone = 1e6 / share / len(os.sched_getaffinity(0))
        runner = MadeUpRunner({bar.alone: alone, bar.workload: 1e6, (bar.workload, "ownline"): mine})
        with contextlib.redirect_stdout(io.StringIO()) as text:
            return bars.compare(runner, bar, 3), text.getvalue()

    def test_not_counted_where_nobody_can_be_so_much_faster(self):
        passed, text = self.compare(1.1e6, 0.85)
        self.assertIsNone(passed)
        self.assertIn(">= 1.5  not counted\n", text)
        self.assertIn("no lock can do more than 1.176 M/s here", text)
        self.assertIn("glibc does 85 % of that, so at most 1.18 times glibc is possible: not counted\n", text)

    def test_counted_where_there_is_room(self):
        passed, text = self.compare(1.1e6, 0.5)
        self.assertIs(passed, False)
        self.assertIn("FAIL\n", text)
        self.assertIn("no lock can do more than 2.000 M/s here", text)
        self.assertIn("glibc does 50 % of that\n", text)
        passed, text = self.compare(1.6e6, 0.5)
        self.assertIs(passed, True)
        self.assertIn("more than 2.000 M/s", text)

    def test_who_passes_has_passed(self):
        self.assertIs(self.compare(1.6e6, 0.85)[0], True)


class LastLines(unittest.TestCase):
    def said(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            load_bars().surroundings(*words)
        return text.getvalue()

    def test_near_and_quiet(self):
        self.assertEqual(self.said(24.6, 30, [0.01, 0.02, 0.9]),
                         "the CPUs were near each other: a cacheline took 25 ns from one to another before, "
                         "30 ns after (far: over 75 ns)\n"
                         "other work used 2 % of the machine in a run (median)\n")

    def test_what_spoils_figures(self):
        text = self.said(24, 160, [0.5])
        self.assertIn("near each other, then far apart (measure again): a cacheline took 24 ns", text)
        self.assertIn("50 % of the machine in a run (median): measure again on a quiet one\n", text)

    def test_nothing_where_nothing_is_known(self):
        self.assertEqual(self.said(None, None, []), "")


class OtherWork(unittest.TestCase):
    def test_is_what_the_machine_does_beyond_this_process_and_its_children(self):
        machine, own = iter([100, 107]), iter([10, 12])
        with mock.patch.multiple(measure, _busy_seconds=lambda: next(machine), _own_seconds=lambda: next(own)), \
                mock.patch("time.monotonic", iter([50, 60]).__next__), mock.patch("os.cpu_count", lambda: 2):
            with measure.Watch() as watch:
                pass
        self.assertEqual((watch.elapsed, watch.foreign), (10, 0.25))
        self.assertEqual(watch.figures(), {"elapsed": 10, "foreign_cpu": 0.25})

    def test_is_never_below_nothing(self):
        machine, own = iter([100, 100]), iter([10, 12])
        with mock.patch.multiple(measure, _busy_seconds=lambda: next(machine), _own_seconds=lambda: next(own)):
            with measure.Watch() as watch:
                pass
        self.assertEqual(watch.foreign, 0)


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

    def test_other_parameters_are_told(self):
        self.fill(GLIBC, [1, 2])
        self.assertFalse(store.Store(self.path, {"seconds": 1}, False).forgotten)
        self.assertTrue(store.Store(self.path, {"seconds": 2}, False).forgotten)

    def test_a_cell_that_failed_is_measured_again_with_all_peers(self):
        self.fill(GLIBC, [1, 2])
        self.store.add(CELL, OWNLINE, 0, {"failure": "hung"})
        self.store.add(OTHER, GLIBC, 0, run(7))
        self.store.add(OTHER, NSYNC, 0, None)
        self.assertTrue(self.store.failed())
        again = store.Store(self.path, {"seconds": 1}, False)
        self.assertEqual(set(again.runs), {(OTHER.name, "glibc", 0), (OTHER.name, "nsync", 0)})
        self.assertEqual((again.resumed, again.failed()), (2, False))
        again.add(CELL, OWNLINE, 0, run(5))
        self.assertEqual(store.Store(self.path, {"seconds": 1}, False).resumed, 3)

    def test_finished_begins_anew(self):
        self.fill(GLIBC, [1, 2])
        self.store.finish()
        self.assertEqual(store.Store(self.path, {"seconds": 1}, False).resumed, 0)

    def test_finished_can_be_read_again(self):
        self.assertIsNone(store.Store.finished(self.path.parent))
        self.fill(GLIBC, [1, 2])
        self.store.finish()
        again = store.Store.finished(self.path.parent)
        self.assertEqual((again.runs, again.about, again.signature),
                         (self.store.runs, "then", {"seconds": 1}))
        self.assertFalse(self.path.exists())


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


    def test_rounds(self):
        self.assertEqual(CELL.rounds(5), 5)
        for cell in matrix.cells(False, None):
            self.assertGreaterEqual(cell.rounds(5), 3)
            self.assertEqual(cell.rounds(1), 1)

    def test_both_ways_of_placing_threads(self):
        placed = {}
        for cell in matrix.cells(False, None):
            if not cell.kernel:
                placed.setdefault(cell.workload, set()).add(cell.pinned)
        self.assertEqual([name for name, both in placed.items() if len(both) < 2], [])

    def test_the_full_matrix_takes_less_than_an_hour(self):
        seconds = sum((cell.rounds(5) + 1) * cell.expected(0.4)
                      * (1 if cell.kernel else len(matrix.PEERS))
                      for cell in matrix.cells(False, None))
        self.assertLess(seconds, 45 * 60)


class TimeLeft(unittest.TestCase):
    def test_begins_with_what_is_expected_and_ends_with_nothing(self):
        progress = host.Progress(2, 90, io.StringIO())
        self.assertEqual(progress.left(), "1:30")
        progress.step(30)
        progress.step(60)
        self.assertEqual(progress.left(), "0:00")
        progress.show("cell", "figures")
        self.assertEqual(progress.stream.getvalue(), "[2/2, 0:00 left] cell: figures\n")

    def test_the_pace_corrects_it(self):
        progress = host.Progress(2, 100, io.StringIO())
        progress.began -= 100  # for a run of which half as much was expected
        progress.step(50)
        self.assertRegex(progress.left(), "1:4[0-9]")


class CommandLine(unittest.TestCase):
    def test_wrong_usage_is_one_line(self):
        for words in (["--nonsense"], ["--rounds", "0"], ["--seconds", "x"], ["--only", "no such cell"],
                      ["--publish", "--only", "chat"], ["--publish", "--peers", "nsync"], ["word"],
                      ["--nice", "20"], ["--report", "--output", "/nonexistent"], ["--build-dir", "/nonexistent"]):
            done = subprocess.run([str(SCRIPT), *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("bench: ", done.stderr)

    def test_list_names_what_is_chosen(self):
        done = subprocess.run([str(SCRIPT), "--list", "--only", "chat 200"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.stdout.splitlines(),
                         ["chat: chat 200, pinned", "chat: chat 200, free"])


if __name__ == "__main__":
    unittest.main()
