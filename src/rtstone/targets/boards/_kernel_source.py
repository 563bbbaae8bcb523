# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel's sources: fetched once through cargo from the package that carries them, checked by hash.

``boards/<port>-source/`` defines them: the one dependency of Cargo.toml is the package, its
``[package.metadata.rtstone] folder`` is the kernel's folder in it, and SHA256SUMS lists the files to keep.
"""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from pathlib import Path

from rtstone.cache import cached, is_cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _cargo

FETCH_TIMEOUT_S = 300


def has_source(root: Path, kernel: str) -> bool:
    """Whether the sources of a port's kernel are a published package; `root`: the folder that has boards/."""
    return (_manifest(root, kernel) / "SHA256SUMS").is_file()


def inputs(root: Path, kernel: str) -> list[Path]:
    """The files that define what is fetched; empty if nothing is fetched."""
    return [_manifest(root, kernel) / name for name in ("Cargo.toml", "SHA256SUMS")] if has_source(root, kernel) else []


def kernel_sources(root: Path, kernel: str) -> Path:
    """Return the folder of a kernel's sources. It has every file of SHA256SUMS, with the hash that is listed there.

    `root`: the folder that has boards/. Raises InfrastructureError when no cargo works or it is too old, the registry cannot be reached, or
    a file has another hash.
    """
    manifest = _manifest(root, kernel)
    expected = _expected(manifest / "SHA256SUMS")

    def fetch(folder: Path) -> None:
        package, place = _package(manifest / "Cargo.toml")
        _vendor(package, manifest, folder)
        _keep_expected(folder, f"{package}/{place}", expected, manifest.name)

    return cached(kernel, _cache_name(root, kernel), fetch)


def is_fetched(root: Path, kernel: str) -> bool:
    """Whether the cache has the sources, so that `kernel_sources` needs neither cargo nor the network."""
    return is_cached(kernel, _cache_name(root, kernel))


def _cache_name(root: Path, kernel: str) -> str:
    return key_of([], _manifest(root, kernel), inputs(root, kernel))


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
    work = folder / "work"
    work.mkdir()
    shutil.copy(manifest / "Cargo.toml", work)
    (work / "nothing.rs").touch()
    _cargo.run(f"fetch {package}", ["vendor", "--quiet", "--color", "never", "vendored"], work, FETCH_TIMEOUT_S)


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
