"""Command lines of the scripts here: a fault is one line that ends with its remedy, and exit status 2."""

import argparse
import re

# argparse's own words, and plainer ones.
PLAIN = (
    (r"^argument (\S+): invalid int value: (.*)$", r"\1 wants a whole number, not \2"),
    (r"^argument (\S+): invalid float value: (.*)$", r"\1 wants a number, not \2"),
    (r"^argument (\S+): expected (?:one|at least one) argument$", r"\1 needs a value"),
)


class Parser(argparse.ArgumentParser):
    """remedy: what a fault's line ends with where error() is told no other; by default where the
    help is. Options are written out in full: what an abbreviation means would change with each new one."""

    def __init__(self, *, remedy=None, **more):
        super().__init__(allow_abbrev=False, **more)
        self.remedy = remedy or f"see scripts/{self.prog} --help"

    def error(self, message, remedy=None):
        message = str(message)  # or what was raised
        for pattern, words in PLAIN:
            message = re.sub(pattern, words, message, flags=re.S)
        text = " ".join(f"{message}; {remedy or self.remedy}".split())
        self.exit(2, f"{self.prog}: {text}\n")
