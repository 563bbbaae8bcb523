# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Downloads Debian's packages without installing them, for any architecture, by an apt with a state of its own.

All packages come from one release, whatever the host runs, and from the mirror that the host's apt uses. Apt checks
them by Debian's keys.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import Path

import msgspec

from rtstone.cache import cache_root, locked
from rtstone.errors import InfrastructureError

RELEASE = "bookworm"
"""The release that the boards belong to (docs/decisions/0011): their kernels and drivers, and the source of their emulator."""

SUITES = (RELEASE, f"{RELEASE}-updates", f"{RELEASE}-security")

HOST = "amd64"
"""The host's architecture, whose tools build kernel modules for all architectures."""

FRESH_S = 3600
"""How old (s) the archive's lists may be before they are fetched again."""

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"

QUERY_TIMEOUT_S = 300
UPDATE_TIMEOUT_S = 600
DOWNLOAD_TIMEOUT_S = 1800


class Package(msgspec.Struct, frozen=True):
    """A package in one version, of one architecture (``all`` for none in particular)."""

    name: str
    version: str
    architecture: str
    depends: tuple[str, ...] = ()
    """The names of the packages that it depends on, without alternatives and versions."""


class Debian:
    """One release of Debian's archive, for one architecture. The machine's own apt is not changed."""

    def __init__(self, architecture: str, suites: Sequence[str] = SUITES, *, sources: bool = False) -> None:
        """`suites` of the archive; `sources`: source packages instead of binary packages."""
        self.architecture = architecture
        self._suites, self._kind = tuple(suites), "deb-src" if sources else "deb"
        self.state = cache_root() / "apt" / f"{architecture}-{self._kind}-{suites[0]}"
        self._trouble = ""

    @staticmethod
    def obstacle() -> str | None:
        """Why this machine cannot use Debian's kernels, whatever is installed on it; None if it can."""
        programs = [shutil.which(name) for name in ("apt-get", "apt-cache", "dpkg-deb", "dpkg")]
        if programs[-1] is None or None in programs:
            return "it is a package of Debian, fetched by apt-get and unpacked by dpkg-deb, which this machine does not have"
        command = [programs[-1], "--print-architecture"]
        here = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout.strip()
        if here != HOST:
            return (
                f"its modules are built with tools for {HOST}, and this machine is {here or 'of no known architecture'}"
            )
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the lists against other processes, since apt fails at once when another holds them. InfrastructureError
        when the cache cannot be written."""
        with ExitStack() as stack:
            try:
                for folder in ("state/lists/partial", "cache/archives/partial"):
                    (self.state / folder).mkdir(parents=True, exist_ok=True)
                (self.state / "state" / "status").touch()
                stack.enter_context(locked(self.state / "lock"))
            except OSError as error:
                raise InfrastructureError(f"the cache {self.state} cannot be written: {error.strerror}") from error
            yield

    def update(self, *, always: bool = False) -> bool:
        """Fetch the lists, unless they are fresh, and return whether all lists are fresh now.

        An unreachable suite, or one without a mirror, is no error yet: another suite may have the package.
        InfrastructureError without Debian's keys, and when the machine's apt names no mirror of Debian.
        """
        stamp = self.state / "updated"
        if not always and stamp.is_file() and 0 <= time.time() - stamp.stat().st_mtime < FRESH_S:
            return True
        if not Path(KEYS).is_file():
            raise InfrastructureError(
                f"packages of Debian {self._suites[0]} cannot be checked: apt-get install debian-archive-keyring"
            )
        mirrors = {suite: mirror for suite in self._suites if (mirror := mirror_of(suite))}
        if not mirrors:
            raise InfrastructureError(
                f"Debian {self._suites[0]} cannot be reached: apt here names no mirror of Debian. Add one to its sources"
            )
        stamp.unlink(missing_ok=True)
        lines = [f"{self._kind} [signed-by={KEYS}] {mirror} {suite} main\n" for suite, mirror in mirrors.items()]
        (self.state / "sources.list").write_text("".join(lines), encoding="utf-8")
        done = self._run("apt-get", "-qq", "update", timeout=UPDATE_TIMEOUT_S)
        self._trouble = f" ({_complaint(done.stderr)})" if done.returncode != 0 or done.stderr.strip() else ""
        if not self._trouble:
            stamp.touch()
        return not self._trouble

    def find(self, name: str) -> Package:
        """Return the newest version of a package. InfrastructureError when the archive lacks the package."""
        text = self._run("apt-cache", "show", "--no-all-versions", name, timeout=QUERY_TIMEOUT_S).stdout
        fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", text.split("\n\n")[0], re.MULTILINE))
        if "Version" not in fields:
            raise InfrastructureError(self._lacks(name))
        depends = tuple(
            part.split("|")[0].split()[0].split(":")[0] for part in fields.get("Depends", "").split(",") if part
        )
        return Package(fields["Package"], fields["Version"], fields["Architecture"], depends)

    def download(self, package: Package, folder: Path) -> Path:
        """Download a package into a folder, checked by apt against the archive's signed lists, and return its file."""
        wanted = f"{package.name}:{package.architecture}={package.version}"
        if package.architecture == "all":
            wanted = f"{package.name}={package.version}"
        before = set(folder.glob("*.deb"))
        done = self._run("apt-get", "-qq", "download", wanted, timeout=DOWNLOAD_TIMEOUT_S, cwd=folder)
        if done.returncode != 0:
            raise InfrastructureError(f"{wanted} cannot be downloaded: {_complaint(done.stderr)}")
        files = set(folder.glob("*.deb")) - before
        if len(files) != 1:
            raise InfrastructureError(f"apt-get download {wanted} left {len(files)} files")
        return files.pop()

    def source_version(self, name: str) -> str:
        """The newest version of a package's source. InfrastructureError when the archive lacks the source."""
        text = self._run("apt-cache", "showsrc", "--only-source", name, timeout=QUERY_TIMEOUT_S).stdout
        found = re.findall(r"^Version: (\S+)$", text, re.MULTILINE)
        if not found:
            raise InfrastructureError(self._lacks(name))
        return newest(found)

    def download_source(self, name: str, version: str, folder: Path) -> Path:
        """Download a package's source into a folder, checked by apt against the archive's signed lists, and return its ``.dsc``."""
        wanted = f"{name}={version}"
        command = ("-qq", "source", "--download-only", "--only-source", wanted)
        done = self._run("apt-get", *command, timeout=DOWNLOAD_TIMEOUT_S, cwd=folder)
        files = list(folder.glob("*.dsc"))
        if done.returncode != 0 or len(files) != 1:
            raise InfrastructureError(f"the source {wanted} cannot be downloaded: {_complaint(done.stderr)}")
        return files[0]

    def lacking(self, name: str) -> str:
        """Why a kernel's package is not available, by the lists in the cache; empty: it is listed, or there are no
        lists. Fetches nothing."""
        if not (self.state / "updated").is_file() or name in self._names():
            return ""
        return self._lacks(name)

    def _lacks(self, name: str) -> str:
        """Why there is no such package, with the packages that replace a kernel."""
        where = f"Debian {self._suites[0]}"
        if self._trouble:
            return f"the package index of {where} cannot be read, so {name} cannot be had{self._trouble}"
        message = f"{where} has no {name} for {self.architecture}"
        # List kernels of the same flavour by their names without a full version: linux-image-rt-amd64,
        # linux-image-6.12-rt-amd64.
        kernel = re.fullmatch(r"(linux-image-)(?:\d+\.\d+-)?([a-z].*)|(linux-source)-.*", name)
        if kernel is None:
            return message
        same = re.compile(
            rf"linux-image-(\d+\.\d+-)?{re.escape(kernel[2])}" if kernel[1] else r"linux-source(-\d+\.\d+)?"
        )
        others = sorted(filter(same.fullmatch, self._names()))
        return f"{message}; it has {', '.join(others)}" if others else message

    def _names(self) -> frozenset[str]:
        """The names of all packages that begin with ``linux-``, by the lists in the cache."""
        known = self._run("apt-cache", "pkgnames", "linux-", timeout=QUERY_TIMEOUT_S).stdout
        return frozenset(known.split())

    def _run(
        self, program: str, *arguments: str, timeout: int, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        options = [
            f"Dir::State={self.state / 'state'}",
            f"Dir::State::status={self.state / 'state' / 'status'}",
            f"Dir::Cache={self.state / 'cache'}",
            f"APT::Architecture={self.architecture}",
            f"APT::Architectures::={self.architecture}",
            f"APT::Architectures::={HOST}",
            f"Dir::Etc::sourcelist={self.state / 'sources.list'}",
            "Dir::Etc::sourceparts=-",
            "Acquire::Languages=none",
            "Acquire::Retries=1",
            "Acquire::http::Timeout=30",
            *(["APT::Sandbox::User=root"] if os.geteuid() == 0 else []),
        ]
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        command = [program, *(word for option in options for word in ("-o", option)), *arguments]
        try:
            return subprocess.run(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=timeout,
            )
        except OSError as error:
            raise InfrastructureError(f"{program} cannot be run: {error.strerror}") from error
        except subprocess.TimeoutExpired:
            raise InfrastructureError(f"{program} {arguments[0]} took more than {timeout} s") from None


def mirror_of(suite: str) -> str:
    """The mirror of Debian that the machine's apt uses, which has all releases. Security suites have a mirror of their
    own. Empty if apt names no mirror."""
    command = ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)|$(RELEASE)", "Created-By: Packages"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=QUERY_TIMEOUT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    security = suite.endswith("-security")
    for line in said.splitlines():
        origin, _, rest = line.partition("|")
        address, _, theirs = rest.partition("|")
        name = address.rstrip("/").rpartition("/")[2]
        # Lists that the machine has not fetched yet name no origin, so judge those by their address.
        ours = origin == "Debian" or (origin.startswith("$") and name in {"debian", "debian-security"})
        if ours and theirs.endswith("-security") == security:
            return address
    return ""


def _complaint(said: str) -> str:
    """The first error that apt reports, since the following ones are mostly its consequences."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("E:", "W:", "Err:"))]
    return (wrong or lines or ["it failed and said nothing"])[0].removeprefix("E: ").removeprefix("W: ").strip()


def newest(versions: Iterable[str]) -> str:
    """The newest of a package's versions, of which there must be one at least."""
    return reduce(lambda newer, other: other if compares(other, ">", newer) else newer, versions)


def compares(version: str, relation: str, other: str) -> bool:
    """Whether a package's version is ``>``, ``>=`` or ``=`` another, by Debian's rules."""
    words = {">": "gt", ">=": "ge", "=": "eq"}
    command = [shutil.which("dpkg") or "dpkg", "--compare-versions", version, words[relation], other]
    return subprocess.run(command, check=False, timeout=QUERY_TIMEOUT_S).returncode == 0


def unpack(file: Path, folder: Path) -> None:
    """Unpack a package's files below a folder, without running any of its scripts."""
    program = shutil.which("dpkg-deb") or "dpkg-deb"
    command = [program, "-x", str(file), str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=600)
    except OSError as error:
        raise InfrastructureError(f"{program} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"{file.name} cannot be unpacked: it took more than 600 s") from None
    if done.returncode != 0:
        raise InfrastructureError(f"{file.name} cannot be unpacked: {done.stderr.strip()}")
