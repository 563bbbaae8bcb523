# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Debian's packages without installing them: an apt with a state of its own, for any architecture, that only downloads."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from rtstone.cache import cache_root, locked
from rtstone.errors import InfrastructureError

HOST = "amd64"
"""The architecture whose tools build kernel modules here, whatever they build for."""

FRESH_S = 3600
"""How old the archive's lists may be before they are fetched again."""

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
    """Names that it depends on, alternatives and versions left out."""


class Debian:
    """The archive that the machine's own apt knows, seen for another architecture. Nothing of the machine's apt is changed."""

    def __init__(self, architecture: str, lists: Sequence[str] = ()) -> None:
        """`lists`: lines of a sources.list that stand in place of the machine's own."""
        self.architecture = architecture
        self._lists = "".join(f"{line}\n" for line in lists)
        digest = f"-{hashlib.sha256(self._lists.encode()).hexdigest()[:8]}" if lists else ""
        self.state = cache_root() / "apt" / f"{architecture}{digest}"
        self._trouble = ""

    @staticmethod
    def obstacle() -> str | None:
        """Why this machine cannot have Debian's kernels whatever is installed on it; None if it can."""
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
        """Keep the others out: apt gives up at once when another has its lists. InfrastructureError when the cache cannot be written."""
        with ExitStack() as stack:
            try:
                for folder in ("state/lists/partial", "cache/archives/partial"):
                    (self.state / folder).mkdir(parents=True, exist_ok=True)
                (self.state / "state" / "status").touch()
                (self.state / "sources.list").write_text(self._lists, encoding="utf-8")
                stack.enter_context(locked(self.state / "lock"))
            except OSError as error:
                raise InfrastructureError(f"the cache {self.state} cannot be written: {error.strerror}") from error
            yield

    def update(self, *, always: bool = False) -> bool:
        """Fetch the lists, unless they are fresh, and return whether all of them are.

        An archive out of reach is no error yet: another may have what is wanted.
        """
        stamp = self.state / "updated"
        if not always and stamp.is_file() and 0 <= time.time() - stamp.stat().st_mtime < FRESH_S:
            return True
        stamp.unlink(missing_ok=True)
        done = self._run("apt-get", "-qq", "update", timeout=UPDATE_TIMEOUT_S)
        self._trouble = f" ({_complaint(done.stderr)})" if done.returncode != 0 or done.stderr.strip() else ""
        if not self._trouble:
            stamp.touch()
        return not self._trouble

    def find(self, name: str) -> Package:
        """Return the newest version of a package. InfrastructureError when the archive has none."""
        text = self._run("apt-cache", "show", "--no-all-versions", name, timeout=QUERY_TIMEOUT_S).stdout
        fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", text.split("\n\n")[0], re.MULTILINE))
        if "Version" not in fields:
            raise InfrastructureError(
                f"Debian's archive, as this machine's apt knows it, has no {name} for {self.architecture}{self._trouble}"
            )
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
        """The newest version of a package's source. InfrastructureError when the archive has none."""
        text = self._run("apt-cache", "showsrc", "--only-source", name, timeout=QUERY_TIMEOUT_S).stdout
        found = re.findall(r"^Version: (\S+)$", text, re.MULTILINE)
        if not found:
            raise InfrastructureError(
                f"Debian's archive, as this machine's apt knows it, has no source of {name}{self._trouble}"
            )
        newest: str = found[0]
        for version in found[1:]:
            newer = ["dpkg", "--compare-versions", version, "gt", newest]
            if subprocess.run(newer, check=False, timeout=QUERY_TIMEOUT_S).returncode == 0:
                newest = version
        return newest

    def download_source(self, name: str, version: str, folder: Path) -> Path:
        """Download a package's source into a folder, checked by apt against the archive's signed lists, and return its ``.dsc``."""
        wanted = f"{name}={version}"
        command = ("-qq", "source", "--download-only", "--only-source", wanted)
        done = self._run("apt-get", *command, timeout=DOWNLOAD_TIMEOUT_S, cwd=folder)
        files = list(folder.glob("*.dsc"))
        if done.returncode != 0 or len(files) != 1:
            raise InfrastructureError(f"the source {wanted} cannot be downloaded: {_complaint(done.stderr)}")
        return files[0]

    def archives(self) -> list[tuple[str, str, str]]:
        """Address, suite and component of Debian's own archives that the lists name; they must have been fetched."""
        said = self._run(
            "apt-get",
            "indextargets",
            "--format",
            "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)",
            "Created-By: Packages",
            timeout=QUERY_TIMEOUT_S,
        ).stdout
        words = dict.fromkeys(tuple(line.split()) for line in said.splitlines())
        return [(word[1], word[2], word[3]) for word in words if len(word) == 4 and word[0] == "Debian"]

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
            *(
                [f"Dir::Etc::sourcelist={self.state / 'sources.list'}", "Dir::Etc::sourceparts=-"]
                if self._lists
                else []
            ),
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


def source_lists() -> list[str]:
    """Lines of a sources.list that has the sources of what the machine's own apt knows as binaries."""
    debian = Debian(HOST)
    with debian.held():
        debian.update()
        archives = debian.archives()
    return [f"deb-src {signed()}{address} {suite} {component}" for address, suite, component in archives]


def archive_of(suite: str) -> str:
    """A line of a sources.list that has a suite's binaries, from where the machine's own apt has Debian's."""
    debian = Debian(HOST)
    with debian.held():
        debian.update()
        archives = debian.archives()
    if not archives:
        raise InfrastructureError(f"this machine's apt knows no archive of Debian that may have {suite}")
    address, _, component = archives[0]
    return f"deb {signed()}{address} {suite} {component}"


def signed() -> str:
    """What a line of a sources.list says of Debian's keys, where they are at their usual place."""
    return f"[signed-by={KEYS}] " if Path(KEYS).is_file() else ""


def _complaint(said: str) -> str:
    """The first thing that apt found wrong: what follows is mostly its consequence."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("E:", "W:", "Err:"))]
    return (wrong or lines or ["it failed and said nothing"])[0].removeprefix("E: ").removeprefix("W: ").strip()


def unpack(file: Path, folder: Path) -> None:
    """Unpack a package's files below a folder; none of its scripts is run."""
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
