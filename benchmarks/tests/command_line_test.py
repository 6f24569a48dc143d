#!/usr/bin/env python3
"""Command lines of the scripts: a fault is one line that names it and its remedy, and exit status 2."""

import contextlib
import io
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from command_line import Parser  # noqa: E402

# Each with an option that it has, cut short, and words that it refuses.
REFUSED = {
    "bars": ("--round=1", ["--rounds", "0"], ["--seconds", "nan"], ["--nice", "20"], ["--program", "/nonexistent"]),
    "bench": ("--round=1", ["--rounds", "0"], ["--rounds", "x"], ["--peers", "nobody"],
              ["--library", "/nonexistent"]),
    "bench-real": ("--round=1", ["--rounds", "0"], ["--library", "/nonexistent"],
                   ["--also-library", "/nonexistent"]),
    "kernel-lab": ("--cpu=2", ["--cpus", "1"]),
    "trace-overhead": ("--round=1", ["--rounds", "0"], ["--build-dir", "/nonexistent"]),
    "trace-verify": ("--build=x", ["--build-dir", "/nonexistent"]),
    "demo-figures": ("--round=1", ["--rounds", "1"],
                     ["--rounds", "0", "--command", "/bin/true", "--workload", "/bin/true"],
                     ["--rounds", "1", "--command", "/nonexistent", "--workload", "/bin/true"]),
}

# The others, in the shell's language, with words that they refuse.
IN_SHELL = {
    "check": (["--only", "nothing"], ["--jobs", "0"]),
    "check-docs": (),
    "check-format": (["/nonexistent.c"],),
    "check-layers": (),
    "demo": (["--rounds", "0"],),
    "fuzz": (["--seed", "x"], ["--build", "/nonexistent"]),
    "models": (),
    "setup": (["nothing"],),
    "soak": (["--jobs", "0"], ["--build", "/nonexistent"]),
    "stress": (["--rounds", "0"], ["--only", "nothing"]),
}


def call(name, *words):
    return subprocess.run([SCRIPTS / name, *words], capture_output=True, text=True, check=False)


class Scripts(unittest.TestCase):
    def test_faults_are_one_line_and_status_2(self):
        for name, (short, *more) in REFUSED.items():
            for words in (["--nonsense"], ["word"], [short], *more):
                done = call(name, *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (name, words))
                self.assertRegex(done.stderr, rf"\A{name}: [^\n]+; [^\n]+\n\Z", words)

    def test_faults_in_shell_too(self):
        for name, more in IN_SHELL.items():
            for words in (["--nonsense"], *more):
                done = call(name, *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (name, words))
                self.assertRegex(done.stderr, rf"\A{name}: [^\n]+\n\Z", words)

    def test_help(self):
        for name in (*REFUSED, *IN_SHELL):
            for word in ("--help", "-h"):
                done = call(name, word)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
                self.assertRegex(done.stdout, rf"\A[Uu]sage: (scripts/)?{name}\b", name)

    def test_each_script_is_looked_at(self):
        here = {path.name for path in SCRIPTS.iterdir() if path.suffix == ""}
        self.assertEqual(here - {"__pycache__"}, {*REFUSED, *IN_SHELL})


class Faults(unittest.TestCase):
    def said(self, parser, *message):
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as text:
            parser.error(*message)
        self.assertEqual(ended.exception.code, 2)
        return text.getvalue()

    def test_end_with_a_remedy(self):
        self.assertEqual(self.said(Parser(prog="x"), "no y"), "x: no y; see scripts/x --help\n")
        self.assertEqual(self.said(Parser(prog="x", remedy="ask z"), "no y"), "x: no y; ask z\n")
        self.assertEqual(self.said(Parser(prog="x", remedy="ask z"), "no y", "make it"), "x: no y; make it\n")

    def test_are_in_plain_words(self):
        parser = Parser(prog="x")
        parser.add_argument("--count", type=int)
        for given, words in (("y", "wants a whole number, not 'y'"), (None, "needs a value")):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as text:
                parser.parse_args(["--count", given] if given else ["--count"])
            self.assertEqual(text.getvalue(), f"x: --count {words}; see scripts/x --help\n")

    def test_are_one_line_whatever_was_given(self):
        self.assertEqual(self.said(Parser(prog="x"), "no y\nz"), "x: no y z; see scripts/x --help\n")


if __name__ == "__main__":
    unittest.main()
