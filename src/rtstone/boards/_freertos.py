# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The FreeRTOS kernel's sources: fetched once through cargo from the package that carries them, checked by hash."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from rtstone.boards._cache import cached, key_of
from rtstone.errors import InfrastructureError

PACKAGE = "freertos-next"
FETCH_TIMEOUT_S = 300


def kernel_sources(root: Path) -> Path:
    """Return the folder FreeRTOS-Kernel, of which every file named in SHA256SUMS has the hash that stands there.

    `root`: the folder that has boards/. Raises InfrastructureError when cargo is missing or too old, the registry cannot be reached, or
    a file is not what it should be.
    """
    manifest = root / "boards" / "freertos-source"
    expected = _expected(manifest / "SHA256SUMS")
    name = key_of([], manifest, [manifest / "Cargo.toml", manifest / "SHA256SUMS"])

    def fetch(folder: Path) -> None:
        _vendor(manifest, folder)
        _keep_expected(folder, expected)

    return cached("freertos", name, fetch)


def _expected(sums: Path) -> dict[str, str]:
    lines = sums.read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def _vendor(manifest: Path, folder: Path) -> None:
    """Let cargo put the sources of the package, and of what it names, below `folder`."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise InfrastructureError("cargo is needed to fetch FreeRTOS's sources: apt-get install cargo-web")
    work = folder / "work"
    work.mkdir()
    shutil.copy(manifest / "Cargo.toml", work)
    (work / "nothing.rs").touch()
    command = [cargo, "vendor", "--quiet", "--color", "never", "vendored"]
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"cargo did not fetch {PACKAGE} within {FETCH_TIMEOUT_S} s") from None
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        reason = next((line for line in said if line.startswith("error")), said[-1])
        hint = "; a cargo that knows edition 2024 is needed: apt-get install cargo-web" if "2024" in done.stderr else ""
        raise InfrastructureError(f"cargo could not fetch {PACKAGE}: {reason}{hint}")


def _keep_expected(folder: Path, expected: dict[str, str]) -> None:
    """Move what is expected up into `folder`, each file checked, and drop the rest."""
    fetched = folder / "work" / "vendored" / PACKAGE / "FreeRTOS-Kernel"
    for name, digest in expected.items():
        source = fetched / name
        if not source.is_file():
            raise InfrastructureError(f"{PACKAGE} has no file {name}")
        if hashlib.sha256(source.read_bytes()).hexdigest() != digest:
            raise InfrastructureError(f"{PACKAGE}: {name} is not the file that boards/freertos-source/SHA256SUMS names")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
    shutil.rmtree(folder / "work")
