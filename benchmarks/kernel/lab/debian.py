"""Kernels out of Debian's packages. Nothing is installed: an apt configuration of its own, in the
cache, fetches packages of several releases, and the files are taken out of them."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from . import progress
from .failure import Failure

SUITES = ("bookworm", "bookworm-backports", "trixie-backports")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LISTS_ARE_FRESH = 24 * 3600
# The smallest package first: the same image without modules.
STOCK = re.compile(r"linux-(binary-unsigned|binary|image)-(\d+\.\d+)[.\d]*[^ ]*-cloud-amd64"
                   r"(-unsigned)?$")
RANK = {"binary-unsigned": 0, "binary": 1, "image": 2}
SOURCE = re.compile(r"linux-source-(\d+\.\d+)$")


def version_key(text):
    """Orders versions of kernels: 6.9 before 6.12."""
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _mirror_of_the_system():
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)",
                           "Identifier: Packages"], capture_output=True, text=True, check=False)
    for uri in done.stdout.split():
        if re.search(r"/debian/?$", uri):
            return uri
    raise Failure("apt knows no mirror of Debian here; name one with --mirror URL")


class Packages:
    def __init__(self, cache, mirror=None, offline=False):
        if not shutil.which("apt-get"):
            raise Failure("no apt-get here: the kernels come out of Debian's packages")
        self.folder = cache / "apt"
        self.debs = cache / "debs"
        self.offline = offline
        self.log = cache / "logs/apt.log"
        self.options = [f"-oDir::State::Lists={self.folder}/lists",
                        f"-oDir::Etc::SourceList={self.folder}/sources.list",
                        "-oDir::Etc::SourceParts=-", f"-oDir::Cache={self.folder}/cache",
                        "-oAPT::Sandbox::User=" + ("root" if os.geteuid() == 0 else "")]
        self._names = None
        self._refresh(mirror)

    def _refresh(self, mirror):
        sources, stamp = self.folder / "sources.list", self.folder / "updated"
        if self.offline:
            if not stamp.exists():
                raise Failure("no package lists yet: run once without --offline")
            return
        wanted = "".join(f"deb [signed-by={KEYRING}] {mirror or _mirror_of_the_system()} "
                         f"{suite} main\n" for suite in SUITES)
        known = sources.read_text(encoding="utf-8") if sources.exists() else ""
        if (wanted == known and stamp.exists()
                and time.time() - stamp.stat().st_mtime < LISTS_ARE_FRESH):
            return
        for name in ("lists/partial", "cache/archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        sources.write_text(wanted, encoding="utf-8")
        with progress.step(f"package lists of {', '.join(SUITES)}"):
            progress.run(["apt-get", *self.options, "-qq", "update"], "apt-get update", self.log)
        stamp.touch()

    def _cache(self, *words):
        done = subprocess.run(["apt-cache", *self.options, *words], capture_output=True,
                              text=True, check=False)
        return done.stdout

    def names(self):
        if self._names is None:
            self._names = self._cache("pkgnames", "linux-").split()
        return self._names

    def _version(self, name):
        text = self._cache("show", "--no-all-versions", name)
        found = re.search(r"^Version: (.+)$", text, re.MULTILINE)
        if not found:
            raise Failure(f"apt knows no version of {name}")
        return found.group(1)

    def stock(self):
        """Release (6.12) -> (version_key, rank, package) of its newest image."""
        best = {}
        for name in self.names():
            found = STOCK.match(name)
            if not found:
                continue
            kind, release, unsigned = found.groups()
            # The newest; of the same version the smallest package, unsigned rather than signed.
            candidate = (version_key(name.split("-cloud")[0]),
                         -RANK[kind] + (0.5 if unsigned else 0), name)
            best[release] = max(best.get(release, candidate), candidate)
        return {release: candidate[2] for release, candidate in best.items()}

    def sources(self):
        """Releases of which Debian has the source."""
        return sorted((found.group(1) for name in self.names() if (found := SOURCE.match(name))),
                      key=version_key)

    def fetch(self, name, version):
        """The package's file, which the caller deletes when he has what he wants."""
        file_version = version.replace(":", "%3a")
        for file in self.debs.glob(f"{name}_{file_version}_*.deb"):
            return file
        if self.offline:
            raise Failure(f"{name} {version} is not in the cache; run once without --offline")
        partial = self.debs / "partial"
        partial.mkdir(parents=True, exist_ok=True)
        with progress.step(f"fetching {name} {version}",
                           lambda: f"{sum(f.stat().st_size for f in partial.iterdir()) >> 20} MB"):
            progress.run(["apt-get", *self.options, "-qq", "download", f"{name}={version}"],
                         f"fetching {name}", self.log, folder=partial)
        for file in partial.glob(f"{name}_*.deb"):
            return file.rename(self.debs / file.name)
        raise Failure(f"apt-get brought no file of {name}; log: {self.log}")

    def image(self, release, images):
        """(Folder with vmlinuz, package, version) of Debian's own kernel of this release."""
        name = self.stock().get(release)
        if not name:
            raise Failure(f"Debian has no kernel {release} now; it has "
                          + ", ".join(sorted(self.stock(), key=version_key)))
        version = self._version(name)
        folder = images / f"stock-{name}_{version}"
        if not (folder / "vmlinuz").exists():
            deb = self.fetch(name, version)
            with progress.step(f"unpacking {name}"):
                _take_image(deb, folder)
            deb.unlink()
        return folder, name, version

    def source(self, release):
        """(Package, version)."""
        if release not in self.sources():
            raise Failure(f"Debian has no linux-source-{release} now; it has "
                          + ", ".join(self.sources()))
        name = f"linux-source-{release}"
        return name, self._version(name)


def _members(deb):
    done = subprocess.run(f"dpkg-deb --fsys-tarfile '{deb}' | tar -t", shell=True,
                          capture_output=True, text=True, check=False)
    return done.stdout.split()


def _take_image(deb, folder):
    for member in _members(deb):
        if re.search(r"/vmlinuz[^/]*$", member):
            break
    else:
        raise Failure(f"no kernel image in {deb}")
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / "vmlinuz.partial"
    with open(partial, "wb") as file:
        done = subprocess.run(f"dpkg-deb --fsys-tarfile '{deb}' | tar -xO '{member}'", shell=True,
                              stdout=file, check=False)
    if done.returncode or not partial.stat().st_size:
        raise Failure(f"cannot unpack {deb}; delete it and run again")
    partial.rename(folder / "vmlinuz")


def unpack_source(deb, target):
    """The tree of a linux-source package, moved into place when it is whole."""
    partial = Path(f"{target}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    member = next((name for name in _members(deb) if name.endswith(".tar.xz")), None)
    if not member:
        raise Failure(f"no sources in {deb}")
    done = subprocess.run(f"dpkg-deb --fsys-tarfile '{deb}' | tar -xO '{member}' | "
                          f"tar -xJ -C '{partial}' --strip-components=1",
                          shell=True, check=False)
    if done.returncode:
        raise Failure(f"cannot unpack {deb}; delete it and run again")
    partial.rename(target)
