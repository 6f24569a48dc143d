"""Builds kernels from Debian's source: one tree and one object folder per version. A variant is its
patch applied, the few files that it touches compiled, a link, and the patch's files put back."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from . import debian, progress
from .failure import Failure

FOLDER = Path(__file__).resolve().parent.parent
CONFIG = FOLDER / "config"
PATCHES = FOLDER / "patches"
BASE = "base"
# What a whole build compiles with this configuration, of 7.3: for saying how far it is.
FILES_OF_A_BUILD = 930


def patch_names():
    return sorted(path.stem for path in PATCHES.glob("*.patch"))


def _digest(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def _compiler():
    done = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure("no gcc; scripts/setup lab installs it")
    return done.stdout.splitlines()[0]


def _fits(path, number):
    """A file named in a patch must lie in the tree."""
    if path.is_absolute() or ".." in path.parts:
        raise Failure(f"{number}: the patch names {path}, which is outside the tree")
    return path


class Tree:
    def __init__(self, cache, package, version, packages, jobs):
        self.package = package
        self.version = version
        self.packages = packages
        self.jobs = jobs
        self.folder = cache / "trees" / version
        self.source = self.folder / "source"
        self.objects = self.folder / "objects"
        self.kept = self.folder / "kept"
        self.images = cache / "images"
        self.log = cache / "logs" / f"build-{version}.log"
        self.compiler = _compiler()

    def _variant(self, variant):
        """(The patch's file or None, the folder that its image has or will have)."""
        path = None if variant == BASE else PATCHES / f"{variant}.patch"
        key = _digest(self.version, CONFIG.read_text(encoding="utf-8"), self.compiler, variant,
                      path.read_text(encoding="utf-8") if path else "")
        return path, self.images / f"built-{self.version}-{variant}-{key}"

    def image(self, variant):
        """The folder with vmlinuz and about.json; built unless it is there."""
        path, folder = self._variant(variant)
        if (folder / "about.json").exists():
            return folder
        self._prepare()
        self._put_back()
        if path:
            self._apply(path)
        try:
            self._make(variant)
            self._keep_image(variant, path, folder)
        finally:
            self._put_back()
        return folder

    @staticmethod
    def patches(variants):
        """Name -> SHA-256 of the patches among the variants."""
        return {name: hashlib.sha256((PATCHES / f"{name}.patch").read_bytes()).hexdigest()
                for name in variants if name != BASE}

    def _prepare(self):
        if not self.source.exists():
            deb = self.packages.fetch(self.package, self.version)
            with progress.step(f"unpacking {self.package}"):
                debian.unpack_source(deb, self.source)
            deb.unlink()
        self._configure()

    def _make_command(self, *words):
        # Awks differ in the order of a generated header: another awk would compile all again.
        return ["make", "AWK=mawk", f"-j{self.jobs}", "-C", str(self.source), f"O={self.objects}",
                "KBUILD_BUILD_USER=ownline", "KBUILD_BUILD_HOST=lab", *words]

    def _configure(self):
        """Writes .config only when it says something else, since all is compiled again then."""
        self.objects.mkdir(parents=True, exist_ok=True)
        current = self.objects / ".config"
        stamp = self.folder / "config-digest"
        wanted = _digest(CONFIG.read_text(encoding="utf-8"), self.compiler)
        if (current.exists() and stamp.exists()
                and stamp.read_text(encoding="ascii") == wanted):
            return
        with progress.step(f"configuring {self.version}"), tempfile.TemporaryDirectory(
                dir=self.folder) as scratch:
            make = ["make", "-C", str(self.source), f"O={scratch}"]
            progress.run([*make, "tinyconfig"], "tinyconfig", self.log)
            progress.run([str(self.source / "scripts/kconfig/merge_config.sh"), "-m", "-O",
                          scratch, f"{scratch}/.config", str(CONFIG)], "the configuration",
                         self.log, folder=self.source)
            progress.run([*make, "olddefconfig"], "olddefconfig", self.log)
            new = Path(scratch, ".config")
            _check_config(new.read_text(encoding="utf-8"))
            if not current.exists() or current.read_bytes() != new.read_bytes():
                shutil.copyfile(new, current)
        stamp.write_text(wanted, encoding="ascii")

    def _make(self, variant):
        began = self.log.stat().st_size if self.log.exists() else 0
        since = time.monotonic()
        whole = not (self.objects / "vmlinux").exists()

        def compiled():
            with open(self.log, encoding="utf-8", errors="replace") as file:
                file.seek(began)
                count = len(re.findall(r"^  (?:CC|AS) ", file.read(), re.MULTILINE))
            left = progress.remaining(time.monotonic() - since, count,
                                      FILES_OF_A_BUILD if whole else 0)
            return f"{count} files" + (f" of {FILES_OF_A_BUILD}, {left}" if left else "")

        with progress.step(f"building {self.version} {variant}", compiled):
            progress.run(self._make_command(f"LOCALVERSION=-{variant}", "bzImage"),
                         f"building {self.version} {variant}", self.log)

    def _keep_image(self, variant, path, folder):
        scratch = Path(f"{folder}.partial")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        shutil.copyfile(self.objects / "arch/x86/boot/bzImage", scratch / "vmlinuz")
        shutil.copyfile(self.objects / ".config", scratch / "config")
        release = (self.objects / "include/config/kernel.release").read_text(encoding="ascii")
        about = {"release": release.strip(), "package": self.package, "version": self.version,
                 "variant": variant, "patch": path.name if path else None,
                 "compiler": self.compiler}
        (scratch / "about.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)

    # The files that a patch touches are kept aside before it is applied: whatever happens then,
    # the next run finds them and begins by putting them back.

    def _apply(self, patch):
        touched = sorted({_fits(Path(name), patch.name) for name in re.findall(
            r"^\+\+\+ [^/\s]+/(\S+)", patch.read_text(encoding="utf-8"), re.MULTILINE)})
        if not touched:
            raise Failure(f"{patch} names no file; lines '+++ b/PATH' are wanted")
        partial = Path(f"{self.kept}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        for name in touched:
            if not (self.source / name).exists():
                raise Failure(f"{patch} does not apply to {self.version}: no file {name} there")
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.source / name, partial / name)
        partial.rename(self.kept)
        done = subprocess.run(["patch", "-p1", "--forward", "--fuzz=0", "--reject-file=-",
                               "--no-backup-if-mismatch", "-i", str(patch)], cwd=self.source,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self._put_back()
            said = " ".join((done.stdout + done.stderr).split())
            raise Failure(f"{patch} does not apply to {self.version}; fit it to that source "
                          f"({self.source}). patch says: {said}")

    def _put_back(self):
        if not self.kept.exists():
            return
        for file in self.kept.rglob("*"):
            if file.is_file():
                # A new time of change, so that make compiles it again.
                shutil.copyfile(file, self.source / file.relative_to(self.kept))
        shutil.rmtree(self.kept)


def _check_config(text):
    """The kernel's configuration drops silently what it cannot have."""
    have = set(text.splitlines())
    for line in CONFIG.read_text(encoding="utf-8").splitlines():
        if line.startswith("CONFIG_") and line not in have:
            raise Failure(f"this source cannot have {line}; mend {CONFIG}")
        off = re.fullmatch(r"# (CONFIG_\w+) is not set", line)
        if off and f"{off.group(1)}=y" in have:
            raise Failure(f"this source cannot be without {off.group(1)}; mend {CONFIG}")


def default_jobs():
    return len(os.sched_getaffinity(0))
