#!/usr/bin/env python3
"""The kernel lab's choice of kernels, its patching, its results and tables, on made-up input."""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "kernel"))

from lab import boot, debian, jobs, page, plan, progress, space, tree  # noqa: E402
from lab.failure import Failure  # noqa: E402

NAMES = """linux-image-6.1.0-9-cloud-amd64 linux-image-6.1.0-50-cloud-amd64-unsigned
linux-image-6.1.0-50-cloud-amd64 linux-image-6.1.0-50-amd64 linux-image-cloud-amd64
linux-image-7.3.4+deb13-cloud-amd64 linux-binary-7.3.4+deb13-cloud-amd64
linux-binary-unsigned-7.3.4+deb13-cloud-amd64 linux-binary-unsigned-7.3.3+deb13-cloud-amd64
linux-source linux-source-6.1 linux-source-6.12 linux-source-7.3 linux-headers-6.1.0-50""".split()


class Choice(unittest.TestCase):
    def setUp(self):
        self.packages = debian.Packages.__new__(debian.Packages)
        self.packages._names = NAMES

    def test_newest_image_and_of_that_the_smallest_unsigned_package(self):
        self.assertEqual(self.packages.stock(), {
            "6.1": "linux-image-6.1.0-50-cloud-amd64-unsigned",
            "7.3": "linux-binary-unsigned-7.3.4+deb13-cloud-amd64"})

    def test_releases_are_ordered_as_versions(self):
        self.assertEqual(self.packages.sources(), ["6.1", "6.12", "7.3"])

    def test_newest_is_a_release_and_no_release_comes_twice(self):
        self.assertEqual(plan.resolve(["newest", "7.3", "6.1", "6.4"], ["6.1", "7.3"]),
                         (["6.1", "7.3"], ["6.4"]))

    def test_private_hash_is_asked_of_kernels_that_have_it(self):
        def variants(release):
            boots = plan.stock_boots(plan.Kernel(release, False), plan.variants(), True)
            return {job.variant for job in boots[0].jobs}
        self.assertEqual(variants("6.12"), {None})
        self.assertIn("private-hash-256", variants("6.18"))


class Patching(unittest.TestCase):
    TEXT = "".join(f"line {number}\n" for number in range(9))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)
        self.patches = self.cache / "patches"
        self.patches.mkdir()
        self.tree = tree.Tree(self.cache, "linux-source-9.9", "9.9.1", None, 1)
        self.file = self.tree.source / "kernel/file.c"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(self.TEXT)
        os.utime(self.file, (1, 1))

    def patch(self, was, path="kernel/file.c"):
        text = (f"Why.\n\n--- a/{path}\n+++ b/{path}\n@@ -4,3 +4,3 @@\n line 3\n-{was}\n"
                "+line four\n line 5\n")
        patch = self.patches / "fix.patch"
        patch.write_text(text)
        return patch

    def test_applied_and_put_back_with_a_new_time(self):
        self.tree._apply(self.patch("line 4"))
        self.assertIn("line four\n", self.file.read_text())
        self.tree._put_back()
        self.assertEqual(self.file.read_text(), self.TEXT)
        self.assertGreater(self.file.stat().st_mtime, 1)

    def test_one_that_does_not_apply_names_itself_and_leaves_nothing(self):
        with self.assertRaisesRegex(Failure, r"fix\.patch does not apply to 9\.9\.1"):
            self.tree._apply(self.patch("line 44"))
        self.assertEqual(self.file.read_text(), self.TEXT)
        self.assertEqual(list(self.tree.source.rglob("*.*")), [self.file])

    def test_interrupted_the_next_run_puts_it_back(self):
        self.tree._apply(self.patch("line 4"))
        again = tree.Tree(self.cache, "linux-source-9.9", "9.9.1", None, 1)
        again._put_back()
        self.assertEqual(self.file.read_text(), self.TEXT)

    def test_missing_file_and_file_outside_the_tree(self):
        with self.assertRaisesRegex(Failure, "no file kernel/other.c"):
            self.tree._apply(self.patch("line 4", "kernel/other.c"))
        with self.assertRaisesRegex(Failure, "outside the tree"):
            self.tree._apply(self.patch("line 4", "../file.c"))

    def test_a_changed_patch_or_configuration_is_another_image(self):
        config = self.cache / "config"
        config.write_text("CONFIG_A=y\n")
        with mock.patch.object(tree, "PATCHES", self.patches), \
                mock.patch.object(tree, "CONFIG", config):
            self.patch("line 4")
            first = self.tree._variant("fix")[1]
            self.patch("line 3")
            second = self.tree._variant("fix")[1]
            config.write_text("CONFIG_B=y\n")
            third = self.tree._variant("fix")[1]
        self.assertEqual(len({first, second, third}), 3)

    def test_what_the_configuration_drops_is_a_failure(self):
        good = "\n".join(line for line in tree.CONFIG.read_text().splitlines()
                         if line.startswith("CONFIG_"))
        tree._check_config(good)
        with self.assertRaisesRegex(Failure, "CONFIG_FUTEX=y"):
            tree._check_config(good.replace("CONFIG_FUTEX=y\n", ""))
        with self.assertRaisesRegex(Failure, "without CONFIG_NET"):
            tree._check_config(good + "\nCONFIG_NET=y")


WORKLOAD = ('RESULT test=workload library=glibc run=handoff+4 json={"ops_per_second": 50.5, '
            '"cpu_seconds_per_million": 2.5}')


class Results(unittest.TestCase):
    def test_units_follow_the_machine(self):
        todo = [jobs.Job("syscall", "syscall"), jobs.Job("handoff 4 (glibc)", "workload")]
        lines = ["KERNEL release=1", "RESULT test=syscall hash=auto least=1.5 most=9.0 unit=ns "
                 "value=2.000", WORKLOAD]
        counted, skipped = jobs.results(todo, lines, "base", True, "log")
        self.assertEqual([(entry["unit"], entry["value"]) for entry in counted],
                         [("instructions", 2.0), ("instructions", 2500.0)])
        self.assertEqual(skipped, [])
        real, _ = jobs.results(todo, lines, "base", False, "log")
        self.assertEqual([(entry["unit"], entry["value"], entry["better"]) for entry in real],
                         [("ns", 2.0, "lower"), ("ops/s", 50.5, "higher")])

    def test_rounds_become_their_median(self):
        todo = [jobs.Job("contend", "contend")] * 3
        lines = [f"RESULT test=contend unit=ops/s value={value}" for value in (5, 900, 7)]
        (entry,), _ = jobs.results(todo, lines, "base", False, "log")
        self.assertEqual((entry["value"], entry["least"], entry["most"]), (7, 5, 900))

    def test_what_a_kernel_cannot_do_is_no_result(self):
        todo = [jobs.Job("bounce", "bounce,hash=16", "private-hash-16")]
        entries, skipped = jobs.results(
            todo, ["RESULT test=bounce hash=16 skipped=no-private-hash"], "stock", True, "log")
        self.assertEqual(entries, [])
        self.assertEqual(skipped[0]["why"], "no-private-hash")

    def test_a_missing_result_is_a_failure(self):
        with self.assertRaisesRegex(Failure, "0 results for 1 jobs; log: here"):
            jobs.results([jobs.Job("syscall", "syscall")], [], "base", True, "here")

    def test_jobs_of_every_kind_fit_on_a_command_line(self):
        for todo in (jobs.counted(True), jobs.contended(True)):
            words = ";".join(job.words for job in todo)
            self.assertLess(len(boot.COMMAND_LINE.format(jobs=words, settle=10)), boot.LONGEST_COMMAND_LINE)

    def test_written_and_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            document, path = space.write(Path(folder), "x", "host", "6.1", "--quick", [])
            self.assertEqual(space.read(path), document)
            self.assertEqual(document["schema"], "ownline-lab")
            path.write_text('{"schema": "other"}')
            with self.assertRaisesRegex(ValueError, "no results file"):
                space.read(path)


def entry(name, variant, value, unit="instructions"):
    return {"name": name, "variant": variant, "value": value, "unit": unit}


def rounds(name, variant, least, value, most):
    return {**entry(name, variant, value, "ops/s"), "least": least, "most": most, "rounds": 3}


class Page(unittest.TestCase):
    def test_tables(self):
        built = {"kernel": "7.3 built", "built": True, "emulated": True, "cpus": 4, "host": "h",
                 "date": "d", "options": "o", "results": [
                     entry("wait-mismatched", "base", 200), entry("bounce", "base", 1234),
                     rounds("one word", "base", 90, 100, 110),
                     entry("no word", "base", 100, "ops/s"),
                     entry("wait-mismatched", "precheck", 150), entry("bounce", "precheck", 1234),
                     rounds("one word", "precheck", 300, 350, 400),
                     entry("no word", "precheck", 9500, "ops/s"),
                     rounds("two words", "base", 9, 10, 12),
                     rounds("two words", "precheck", 10, 11, 13),
                     entry("wait-mismatched", "private-hash-256", 202)]}
        stock = [{**built, "kernel": kernel, "built": False,
                  "results": [entry("bounce", "stock", value)]}
                 for kernel, value in (("6.18.15", 1000), ("7.2.12", 900))]
        text = page.markdown([built, *stock])
        self.assertIn("| wait-mismatched | 200 | 150 (-25.0 %) |\n| bounce | 1 234 | 1 234 |", text)
        self.assertIn("| one word | 1.00 | 3.50 |", text)
        self.assertIn("| two words | 1.00 | 1.10 ~ |", text)
        self.assertIn("| no word | 1.00 | 95.00 ~ |", text)
        self.assertIn("| wait-mismatched | 200 | 202 (+1.0 %) |", text)
        self.assertIn("| bounce | 1 000 | 900 (-10.0 %) |", text)
        self.assertIn("6.18.15 against 7.2.12", text)
        self.assertIn("cannot show", text)

    def test_a_bare_machines_noise_is_marked(self):
        text = page.markdown([{
            "kernel": "6.18", "built": False, "emulated": False, "cpus": 2, "host": "h",
            "date": "d", "options": "o", "results": [
                rounds("one word", "stock", 90, 100, 110), rounds("bounce", "stock", 90, 100, 110),
                rounds("one word", "precheck", 300, 350, 400),
                rounds("bounce", "precheck", 105, 167, 200)]}])
        self.assertIn("| one word | 100 | 350 (+250.0 %) |", text)
        self.assertIn("| bounce | 100 | 167 (+67.0 % ~) |", text)


class Initramfs(unittest.TestCase):
    def test_sizes_names_and_padding(self):
        with tempfile.TemporaryDirectory() as folder:
            program, target = Path(folder, "p"), Path(folder, "out.gz")
            program.write_bytes(b"12345")
            boot.write_initramfs(target, {"init": program})
            data, found = gzip.decompress(target.read_bytes()), {}
            while data:
                self.assertEqual(data[:6], b"070701")
                fields = [int(data[at:at + 8], 16) for at in range(6, 110, 8)]
                start = (110 + fields[11] + 3) & ~3
                name = data[110:110 + fields[11] - 1].decode()
                found[name] = (fields[1], data[start:start + fields[6]])
                data = data[(start + fields[6] + 3) & ~3:]
        self.assertEqual(found["init"], (0o100755, b"12345"))
        self.assertEqual(list(found)[-1], "TRAILER!!!")


class Remaining(unittest.TestCase):
    def test_goes_by_what_is_done(self):
        self.assertEqual(progress.remaining(60, 1, 3), "about 2:00 left")
        self.assertEqual(progress.remaining(30, 3, 4), "about 0:10 left")

    def test_says_nothing_where_nothing_is_known(self):
        for done, total in ((0, 3), (3, 3), (4, 3), (5, 0)):
            self.assertEqual(progress.remaining(60, done, total), "")


class Usage(unittest.TestCase):
    SCRIPT = Path(__file__).resolve().parents[2] / "scripts/kernel-lab"

    def test_faults_are_one_line_and_status_2(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["--nonsense"], ["--variants", "nonsense"], ["--kernels", "six"],
                          ["--kernels", "6.1.2"], ["--cpus", "1"], ["--jobs", "0"],
                          ["--label", "base"], ["--bare", "--kernels", "6.1"],
                          ["--build-dir", folder],
                          ["--tables", f"{folder}/none.json"]):
                done = subprocess.run([self.SCRIPT, "--output", folder, *words], text=True,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 2, words)
                self.assertRegex(done.stderr, r"\Akernel-lab: [^\n]+\n\Z", words)
                self.assertEqual(done.stdout, "", words)

    def test_tables_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            _, path = space.write(Path(folder), "x", "host", "6.9", "o", [
                entry("bounce", "stock", 12.0, "ns")], emulated=False, date="d", built=False,
                                  cpus=1)
            done = subprocess.run([self.SCRIPT, "--output", folder, "--tables", path], text=True,
                                  capture_output=True, check=True)
            self.assertIn("| bounce | 12 |", done.stdout)


if __name__ == "__main__":
    unittest.main()
