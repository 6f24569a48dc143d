#!/usr/bin/env python3
"""scripts/bench-real: outputs of load generators, figures, the table, and what it refuses.

    real_test.py [BIN-DIR]      with the programs built there, it measures one of them for a second
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from real import launch, parse, programs, report  # noqa: E402
from runner import measure, store  # noqa: E402


def output(name):
    return (HERE / "outputs" / f"{name}.txt").read_text(encoding="utf-8")


class Outputs(unittest.TestCase):
    def check(self, figures, operations, seconds, mean=None, p95=None, p99=None):
        self.assertEqual(figures["operations"], operations)
        self.assertAlmostEqual(figures["seconds"], seconds, 3)
        self.assertAlmostEqual(figures["ops_per_second"], operations / seconds, delta=1e-3 * operations)
        for key, value in (("mean_ms", mean), ("p95_ms", p95), ("p99_ms", p99)):
            self.assertEqual(key in figures, value is not None)
            if value is not None:
                self.assertAlmostEqual(figures[key], value, delta=value * 1e-3)

    def test_sysbench(self):
        self.check(parse.sysbench(output("sysbench-threads")), 16, 7.6142, 6394.73, 7615.886, 7615.886)

    def test_sysbench_mutex(self):
        self.check(parse.sysbench_mutex(output("sysbench-mutex"), 1000000), 8000000, 0.5074)

    def test_memcaslap(self):
        # 95 % of 247750 are 235362: that is in the bucket of up to 1024 us, of which 47638 precede it.
        counts = [68, 3384, 20338, 33350, 47858, 83561, 47638, 9933, 1296, 328, 25]
        self.assertEqual(sum(counts[:7]), 236197)
        wanted = 0.95 * sum(counts)
        p95 = 512 + 512 * (wanted - sum(counts[:6])) / counts[6]
        wanted = 0.99 * sum(counts)
        p99 = 1024 + 1024 * (wanted - sum(counts[:7])) / counts[7]
        self.check(parse.memcaslap(output("memcaslap")), 247811, 3.0, 0.387, p95 / 1e3, p99 / 1e3)

    def test_redis_benchmark(self):
        self.check(parse.redis_benchmark(output("redis-benchmark"), 300000), 600000,
                   300000 / 398406.38 + 300000 / 395778.34, 1.05, 2.675, 4.555)

    def test_db_bench(self):
        # Its own p99, from the same histogram, is 6610.87 us.
        self.check(parse.db_bench(output("db_bench"), "fillrandom"), 97992, 2.09, 0.1676572,
                   0.0099053, 6.61087)
        with self.assertRaises(parse.Unreadable):
            parse.db_bench(output("db_bench"), "readwhilewriting")

    def test_cache_bench(self):
        figures = parse.cache_bench(output("cache_bench"))
        self.assertAlmostEqual(figures["ops_per_second"], 143316, delta=1)
        self.assertAlmostEqual(figures["mean_ms"], 0.0548906, 6)
        self.assertTrue(0.0099 < figures["p95_ms"] < 0.0140)

    def test_stress_ng(self):
        self.check(parse.stress_ng(output("stress-ng"), "mutex"), 982924, 2.0)

    def test_own(self):
        self.check(parse.own("operations 10 seconds 2.5 mean_us 1 p95_us 2 p99_us 3\n"), 10, 2.5, 0.001,
                   0.002, 0.003)

    def test_nonsense_is_refused(self):
        for read in (parse.sysbench, parse.memcaslap, parse.cache_bench, parse.own,
                     lambda text: parse.redis_benchmark(text, 5),
                     lambda text: parse.sysbench_mutex(text, 5),
                     lambda text: parse.stress_ng(text, "mutex")):
            for text in ("", "Connection refused\n", "operations 0 seconds 0"):
                with self.assertRaises(parse.Unreadable):
                    read(text)

    def test_kernel_and_runtime_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            outcomes = {"mismatch": {"count": 7}}
            line = json.dumps({"waits": {"started": 9, "outcomes": outcomes}, "wakes": {"calls": 3}})
            (folder / "trace.json").write_text("{}\n" + line + "\n", encoding="utf-8")
            self.assertEqual(launch.read_trace(folder / "trace.json"),
                             {"waits": 9, "mismatches": 7, "wakes": 3})
            for pid in (5, 6):
                waits = {"count": 4, "mismatch": {"count": 1}}
                (folder / f"report.{pid}").write_text(json.dumps({"totals": {"waits": waits}}),
                                                      encoding="utf-8")
            self.assertEqual(launch.read_reports(folder), {"waits": 8, "mismatches": 2})
            with self.assertRaises(measure.Failure):
                launch.read_trace(folder / "absent.json")


class Figures(unittest.TestCase):
    PROGRAM = programs.every()[0]
    PEERS = [launch.Peer("glibc"), launch.Peer("ownline", Path("libownline.so"))]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = store.Store(Path(folder.name) / "runs.jsonl", {}, True)

    def fill(self, peer, rates, waits, mismatches, own=None):
        for turn, rate in enumerate(rates):
            self.store.add(self.PROGRAM, peer, turn, self.run_of(rate))
        counted = {**self.run_of(1e6), "futex": {"waits": waits, "mismatches": mismatches, "wakes": 0}}
        if own is not None:
            counted["own"] = {"waits": own, "mismatches": own}
        self.store.add(self.PROGRAM, peer, "counted", counted)

    @staticmethod
    def run_of(rate):
        return {"operations": 2 * rate, "seconds": 2, "ops_per_second": rate, "mean_ms": 1e3 / rate,
                "cpu_seconds": 4, "voluntary_switches": 10, "involuntary_switches": 20}

    def cell(self):
        return report.figures(self.PROGRAM, self.PEERS, self.store)

    def lost(self):
        return [len(bar["lost"]) for bar in report.verdicts([self.cell()], "ownline")]

    def test_ratios_are_of_the_same_round(self):
        self.fill(self.PEERS[0], [1000, 500, 250], 20000, 10000)
        self.fill(self.PEERS[1], [2000, 1000, 500], 2000, 10, own=4)
        mine = self.cell()["peers"]["ownline"]
        self.assertAlmostEqual(mine["ratio"], 2)
        self.assertAlmostEqual(mine["mean_ms_ratio"], 0.5)
        self.assertAlmostEqual(mine["cpu_ratio"], 0.5)
        self.assertAlmostEqual(mine["voluntary"], 5)
        self.assertAlmostEqual(mine["mismatches"], 5)
        self.assertAlmostEqual(mine["own_mismatches"], 2)
        self.assertEqual(self.lost(), [0, 0, 0, 0])

    def test_what_is_lost_is_said(self):
        self.fill(self.PEERS[0], [1000] * 3, 20000, 10000)
        self.fill(self.PEERS[1], [970] * 3, 2000, 101, own=100)
        self.assertEqual(self.lost(), [1, 1, 1, 0])
        text = report.markdown({"command": "c", "machine": {}, "rounds": 3, "seconds": 2,
                                "foreign_cpu": 0, "versions": []}, [self.cell()], self.PEERS,
                               [("other: x", "package")], {self.PROGRAM.name: "what it does"})
        self.assertIn("**0.97** (0.97 to 0.97)", text)
        self.assertIn("0 of 1 programs; not in: MariaDB: point select", text)
        self.assertIn("not measured: other: x; install package", text)
        self.assertIn("what it does", text)

    def test_few_waits_are_no_contention(self):
        self.fill(self.PEERS[0], [1000] * 3, 100, 90)
        self.fill(self.PEERS[1], [990] * 3, 100, 90, own=90)
        self.assertFalse(report.contended(self.cell()))
        self.assertEqual([len(bar["held"]) for bar in report.verdicts([self.cell()], "ownline")],
                         [1, 0, 0, 0])

    def test_failures_are_shown(self):
        self.fill(self.PEERS[0], [1000] * 3, 10, 0)
        self.store.add(self.PROGRAM, self.PEERS[1], 0, {"failure": "hung"})
        self.assertEqual(self.cell()["peers"]["ownline"], {"failure": "hung"})

    def test_percentiles(self):
        self.assertEqual(parse.percentile([(0, 10, 50), (10, 20, 0), (20, 40, 50)], 0.75), 30)
        self.assertTrue(math.isclose(parse.percentile([(5, 5, 1)], 0.99), 5))


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.launcher = launch.Launcher("ownline", 1)

    def test_nothing_is_left(self):
        # The shell ignores SIGTERM and has a child: both end.
        command = ["sh", "-c", "trap '' TERM; sleep 600 & echo $! >child; wait; wait"]
        with launch.started(command, dict(os.environ), self.folder, self.folder / "log") as process:
            launch.until(lambda: (self.folder / "child").exists()
                         and (self.folder / "child").read_text(encoding="ascii").strip(),
                         process, self.folder / "log", "sh")
            launch.end(process, patience=0.2)
        child = int((self.folder / "child").read_text(encoding="ascii"))
        deadline = time.monotonic() + 30
        while not self.is_gone(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(self.is_gone(child))

    @staticmethod
    def is_gone(pid):
        try:
            # A zombie waits for whoever has adopted it.
            return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] == "Z"
        except OSError:
            return True

    def test_failure_is_told(self):
        with self.assertRaisesRegex(measure.Failure, "exit status 3: why"):
            self.launcher.call(["sh", "-c", "echo why; exit 3"], dict(os.environ), self.folder, "sh")
        with self.assertRaisesRegex(measure.Failure, "ended early: gone"):
            log = self.folder / "log"
            with launch.started(["echo", "gone"], dict(os.environ), self.folder, log) as process:
                launch.until(lambda: False, process, log, "echo")

    def test_output_and_usage(self):
        text, usage = self.launcher.call(["echo", "word"], dict(os.environ), self.folder, "echo")
        self.assertEqual(text, "word\n")
        self.assertGreater(usage.ru_maxrss, 0)

    def test_preloads_stand_in_order(self):
        peer = launch.Peer("ownline", Path("/x/libownline.so"), "spin=0")
        environment = peer.environment({"LD_PRELOAD": "libjemalloc.so.2"}, Path("/y/report"))
        self.assertEqual(environment["LD_PRELOAD"], "/x/libownline.so:libjemalloc.so.2")
        self.assertEqual(environment["OWNLINE_OPTIONS"],
                         "spin=0:report=json:output=/y/report.%p")


def bench(*words):
    return subprocess.run([str(ROOT / "scripts/bench-real"), *words], capture_output=True,
                          text=True, check=False)


class CommandLine(unittest.TestCase):
    def test_list(self):
        done = bench("--list")
        names = done.stdout.splitlines()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(set(names)), len(names))
        for family in ("MariaDB", "memcached", "redis", "RocksDB", "OpenJDK", "sysbench", "stress-ng",
                       "C++", "jemalloc"):
            self.assertIn(family, {name.split(":")[0] for name in names})
        self.assertEqual(bench("--list", "--only", "mariadb").stdout.count("\n"), 3)

    def test_help(self):
        self.assertEqual(bench("--help").returncode, 0)

    def test_wrong_usage_is_one_line(self):
        for words in (["--nonsense"], ["--rounds", "0"], ["--seconds", "x"], ["--seconds", "0"],
                      ["--only", "no such program"], ["--publish", "--only", "redis"], ["word"],
                      ["--build-dir", "/nonexistent"], ["--report", "--output", "/nonexistent"]):
            done = bench(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("bench-real: ", done.stderr)


class Measured(unittest.TestCase):
    build = None

    def setUp(self):
        if not self.build:
            self.skipTest("no folder of the build was given")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.words = ["--build-dir", self.build, "--only", "C++: queue", "--rounds", "1",
                      "--seconds", "1", "--output", folder.name]
        self.folder = Path(folder.name)

    def test_a_program_from_end_to_end(self):
        done = bench(*self.words)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        peers = results["cells"][0]["peers"]
        self.assertEqual(set(peers), {"glibc", "ownline"})
        self.assertGreater(peers["ownline"]["value"], 0)
        self.assertGreater(peers["ownline"]["p99_ms"], 0)
        text = (self.folder / "results.md").read_text(encoding="utf-8")
        self.assertIn("C++: queue", text)
        (self.folder / "results.md").unlink()
        done = bench("--report", "--only", "C++: queue", "--output", str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "results.md").read_text(encoding="utf-8"), text)

    def test_a_failing_program_costs_the_others_nothing(self):
        # Programs of the build, but for one that fails as long as a certain file is there.
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "bin").mkdir()
            (folder / "lib").symlink_to(Path(self.build) / "lib")
            (folder / "bin/ownline").symlink_to(Path(self.build) / "bin/ownline")
            (folder / "fails").touch()
            program = folder / "bin/own-real-cxx"
            program.write_text(f"#!/bin/sh\nif [ $1 = cache ] && [ -e {folder}/fails ]; then echo why; exit 3\n"
                               f"else exec {Path(self.build).resolve()}/bin/own-real-cxx $@; fi\n", encoding="utf-8")
            program.chmod(0o755)
            words = ["--build-dir", str(folder), "--only", "C++: *", "--rounds", "1", "--seconds", "1",
                     "--output", str(self.folder)]
            done = bench(*words)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("C++: cache under glibc: own-real-cxx: exit status 3: why", done.stderr)
            self.assertIn("the same command measures those programs again", done.stderr)
            cells = self.cells()
            self.assertIn("failure", cells["C++: cache"]["glibc"])
            self.assertGreater(cells["C++: queue"]["ownline"]["value"], 0)
            first = cells["C++: queue"]
            (folder / "fails").unlink()
            done = bench(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            cells = self.cells()
            self.assertGreater(cells["C++: cache"]["ownline"]["value"], 0)
            self.assertEqual(cells["C++: queue"], first)

    def cells(self):
        results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        return {cell["cell"]: cell["peers"] for cell in results["cells"]}

    def test_a_faulty_option_of_the_library(self):
        done = bench(*self.words, "--option", "nonsense=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Measured.build = sys.argv.pop(1)
    unittest.main()
