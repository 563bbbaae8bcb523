# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel's sources: fetched once through cargo from the package that carries them, checked by hash.

``boards/<port>-source/`` defines them: the one dependency of Cargo.toml is the package, its
``[package.metadata.rtstone] folder`` is the kernel's folder in it, and SHA256SUMS lists the files to keep.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tomllib
from pathlib import Path

from rtstone.cache import cached, key_of
from rtstone.errors import InfrastructureError

FETCH_TIMEOUT_S = 300


def has_source(root: Path, kernel: str) -> bool:
    """Whether the sources of a port's kernel are fetched; `root`: the folder that has boards/."""
    return (_manifest(root, kernel) / "SHA256SUMS").is_file()


def inputs(root: Path, kernel: str) -> list[Path]:
    """The files that define what is fetched; empty if nothing is fetched."""
    return [_manifest(root, kernel) / name for name in ("Cargo.toml", "SHA256SUMS")] if has_source(root, kernel) else []


def kernel_sources(root: Path, kernel: str) -> Path:
    """Return the folder of a kernel's sources. It has every file of SHA256SUMS, with the hash that is listed there.

    `root`: the folder that has boards/. Raises InfrastructureError when cargo is missing or too old, the registry cannot be reached, or
    a file has another hash.
    """
    manifest = _manifest(root, kernel)
    expected = _expected(manifest / "SHA256SUMS")
    name = key_of([], manifest, inputs(root, kernel))

    def fetch(folder: Path) -> None:
        package, place = _package(manifest / "Cargo.toml")
        _vendor(package, manifest, folder)
        _keep_expected(folder, f"{package}/{place}", expected, manifest.name)

    return cached(kernel, name, fetch)


def _manifest(root: Path, kernel: str) -> Path:
    return root / "boards" / f"{kernel}-source"


def _package(cargo: Path) -> tuple[str, str]:
    """The package that Cargo.toml names, and the folder of it that has the kernel."""
    said = tomllib.loads(cargo.read_text(encoding="utf-8"))
    (package,) = said["dependencies"]
    return package, said["package"]["metadata"]["rtstone"]["folder"]


def _expected(sums: Path) -> dict[str, str]:
    lines = sums.read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def _vendor(package: str, manifest: Path, folder: Path) -> None:
    """Let cargo put the sources of the package and of its dependencies below `folder`."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise InfrastructureError(f"cargo is needed to fetch {package}: apt-get install cargo-web")
    work = folder / "work"
    work.mkdir()
    shutil.copy(manifest / "Cargo.toml", work)
    (work / "nothing.rs").touch()
    command = [cargo, "vendor", "--quiet", "--color", "never", "vendored"]
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"cargo did not fetch {package} within {FETCH_TIMEOUT_S} s") from None
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        reason = next((line for line in said if line.startswith("error")), said[-1])
        hint = "; a cargo that knows edition 2024 is needed: apt-get install cargo-web" if "2024" in done.stderr else ""
        raise InfrastructureError(f"cargo could not fetch {package}: {reason}{hint}")


def _keep_expected(folder: Path, place: str, expected: dict[str, str], source_of_truth: str) -> None:
    """Check each expected file and move it up into `folder`; delete the rest."""
    fetched = folder / "work" / "vendored" / place
    for name, digest in expected.items():
        source = fetched / name
        if not source.is_file():
            raise InfrastructureError(f"{place} has no file {name}")
        if hashlib.sha256(source.read_bytes()).hexdigest() != digest:
            raise InfrastructureError(f"{place}: {name} is not the file that boards/{source_of_truth}/SHA256SUMS names")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
    shutil.rmtree(folder / "work")
