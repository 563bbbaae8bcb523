# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Debian's packages without installing them: an apt with a state of its own, for any architecture, that only downloads."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import msgspec

from rtstone.boards._cache import cache_root
from rtstone.errors import InfrastructureError

HOST = "amd64"
"""The architecture whose tools build kernel modules here, whatever they build for."""

UPDATE_TIMEOUT_S = 300
DOWNLOAD_TIMEOUT_S = 1200


class Package(msgspec.Struct, frozen=True):
    """A package in one version, of one architecture (``all`` for none in particular)."""

    name: str
    version: str
    architecture: str
    depends: tuple[str, ...] = ()
    """Names that it depends on, alternatives and versions left out."""


class Debian:
    """The archive that the machine's own apt knows, seen for another architecture. Nothing of the machine's apt is changed."""

    def __init__(self, architecture: str) -> None:
        self.architecture = architecture
        self.state = cache_root() / "apt" / architecture

    @staticmethod
    def missing() -> list[str]:
        """Debian packages that must be installed before anything can be downloaded; empty on Debian."""
        return [] if shutil.which("apt-get") and shutil.which("dpkg-deb") else ["apt", "dpkg"]

    def update(self) -> None:
        """Fetch the lists. InfrastructureError when the archive cannot be reached."""
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self.state / folder).mkdir(parents=True, exist_ok=True)
        (self.state / "state" / "status").touch()
        self._apt("apt-get", "-qq", "update", timeout=UPDATE_TIMEOUT_S)

    def find(self, name: str) -> Package:
        """Return the newest version of a package. InfrastructureError when the archive has none."""
        text = self._apt("apt-cache", "show", "--no-all-versions", name, timeout=60, may_fail=True)
        fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", text.split("\n\n")[0], re.MULTILINE))
        if "Version" not in fields:
            raise InfrastructureError(
                f"Debian's archive, as this machine's apt knows it, has no {name} for {self.architecture}"
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
        self._apt("apt-get", "-qq", "download", wanted, timeout=DOWNLOAD_TIMEOUT_S, cwd=folder)
        files = set(folder.glob("*.deb")) - before
        if len(files) != 1:
            raise InfrastructureError(f"apt-get download {wanted} left {len(files)} files")
        return files.pop()

    def _apt(self, program: str, *arguments: str, timeout: int, cwd: Path | None = None, may_fail: bool = False) -> str:
        options = [
            f"Dir::State={self.state / 'state'}",
            f"Dir::State::status={self.state / 'state' / 'status'}",
            f"Dir::Cache={self.state / 'cache'}",
            f"APT::Architecture={self.architecture}",
            f"APT::Architectures::={self.architecture}",
            f"APT::Architectures::={HOST}",
            "Acquire::Languages=none",
            "Acquire::Retries=3",
            *(["APT::Sandbox::User=root"] if os.geteuid() == 0 else []),
        ]
        command = [program, *(word for option in options for word in ("-o", option)), *arguments]
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=timeout)
        except OSError as error:
            raise InfrastructureError(f"{program} cannot be run: {error.strerror}") from error
        except subprocess.TimeoutExpired:
            raise InfrastructureError(f"{program} {arguments[0]} took more than {timeout} s") from None
        if done.returncode != 0 and not may_fail:
            said = [line for line in done.stderr.splitlines() if line.strip()]
            raise InfrastructureError(f"{program} {' '.join(arguments[-2:])}: {said[-1] if said else 'failed'}")
        return done.stdout


def unpack(file: Path, folder: Path) -> None:
    """Unpack a package's files below a folder; none of its scripts is run."""
    program = shutil.which("dpkg-deb") or "dpkg-deb"
    command = [program, "-x", str(file), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise InfrastructureError(f"{file.name} cannot be unpacked: {done.stderr.strip()}")
