"""Where the lab keeps things, and what it writes of a run."""

import json
import os
import platform
import subprocess
from pathlib import Path

SCHEMA = "ownline-lab"
VERSION = 1


def cache_folder(named=None):
    """--cache, OWNLINE_KERNEL_LAB, or the user's cache: shared by all work trees."""
    if named or os.environ.get("OWNLINE_KERNEL_LAB"):
        return Path(named or os.environ["OWNLINE_KERNEL_LAB"]).resolve()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ownline/kernel-lab"


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith(("model name", "CPU part")):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def emulator():
    done = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True,
                          check=False)
    words = done.stdout.split()
    return f"QEMU {words[3]}, TCG" if len(words) > 3 else "QEMU, TCG"


def write(folder, name, host, kernel, options, results, **more):
    document = {"schema": SCHEMA, "version": VERSION, "host": host, "kernel": kernel,
                "options": options, **more, "results": results}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    partial.rename(path)
    return document, path


def read(path):
    """A results file; ValueError says what is wrong with it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path}: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError(f"{path} is no results file of kernel-lab")
    if document.get("version") != VERSION:
        raise ValueError(f"{path} has version {document.get('version')}, this reads {VERSION}")
    return document
