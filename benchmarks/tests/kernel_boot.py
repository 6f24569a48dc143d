#!/usr/bin/env python3
"""Boots a kernel of the lab's cache with the benchmark as its first process. Without an emulator or
a kernel it is skipped: neither is worth its set-up to every test run."""

import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "kernel"))

from lab import boot, jobs, space  # noqa: E402

SKIP = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def smallest_kernel():
    images = list((space.cache_folder() / "images").glob("*/vmlinuz"))
    if not images:
        skip("no kernel in the cache; scripts/kernel-lab --fetch gets some")
    return min(images, key=lambda image: image.stat().st_size)


def main():
    if not shutil.which(boot.QEMU):
        skip(f"no {boot.QEMU}; scripts/setup lab installs it")
    image = smallest_kernel()
    todo = jobs.counted(private_hash=False, workloads=False)
    with tempfile.TemporaryDirectory() as folder:
        initramfs, log = Path(folder, "initramfs.gz"), Path(folder, "log")
        boot.write_initramfs(initramfs, {"init": Path(sys.argv[1])})
        lines = boot.run(image, initramfs, [job.words for job in todo], boot.Machine(True), log,
                         patience=250)
    print("\n".join(lines))
    if "END status=0" not in lines:
        sys.exit(f"{image} did not come to its end")
    entries, _ = jobs.results(todo, lines, "any", True, "above")
    values = {entry["name"]: entry["value"] for entry in entries}
    # Instructions, not time: more work is more of them, however busy this machine is.
    if not values["syscall"] < values["wait-mismatched"] < values["wait-expired"]:
        sys.exit(f"instruction counts that cannot be: {values}")


if __name__ == "__main__":
    main()
