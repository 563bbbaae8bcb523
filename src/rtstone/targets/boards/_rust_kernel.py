# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel written in Rust as a static library: fetched and built once by cargo, pinned by the hashes of Cargo.lock.

A port of such a kernel has a Cargo.toml. ``boards/<board>/<port>/kernel.toml`` names the processor that it is compiled
for.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from rtstone.cache import cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _model

PACKAGES = {"rustc": "rustc-web", "library": "rust-web-src", "cargo": "cargo-web"}
OLDEST = (1, 88)
"""The oldest rustc that compiles the kernels: naked functions are stable since this version. Debian 12 has it in its
security updates."""
BUILD_TIMEOUT_S = 1800
FETCH_TIMEOUT_S = 300
_VENDORED = ("source.crates-io.replace-with='vendored'", "source.vendored.directory='vendored'")


def is_rust(root: Path, kernel: str) -> bool:
    """Whether cargo builds a port's kernel; `root`: the folder that has ports/."""
    return (root / "ports" / kernel / "Cargo.toml").is_file()


def missing() -> list[str]:
    """The Debian packages that must be installed before `library` can work."""
    lacking = [] if shutil.which("cargo") else [PACKAGES["cargo"]]
    return lacking if _compiler() else [*lacking, PACKAGES["rustc"], PACKAGES["library"]]


def version() -> str:
    """The output of ``rustc --version``; empty without a suitable compiler."""
    rustc = _compiler()
    return _said([rustc, "--version"]) if rustc else ""


def library(root: Path, board: str, kernel: str) -> Path:
    """Return the folder with libkernel.a, and the compiler's version in the file ``compiler``.

    Raises InfrastructureError, in one line, when a tool is missing, the registry cannot be reached, a package is not the one that
    Cargo.lock names, or the build fails.
    """
    rustc = _compiler()
    if rustc is None:
        raise InfrastructureError(
            f"{kernel} needs rustc {'.'.join(map(str, OLDEST))} with the sources of its library: "
            f"apt-get update && apt-get install {' '.join(missing())}"
        )
    settings = (_model.folder_of(board) / kernel / "kernel.toml").read_text(encoding="utf-8")
    name = f"{board}-{key_of([version(), settings], root, inputs(root, board, kernel))}"

    def make(folder: Path) -> None:
        _build(root, board, kernel, rustc, folder)
        (folder / "compiler").write_text(version() + "\n", encoding="ascii")

    return cached(kernel, name, make)


def inputs(root: Path, board: str, kernel: str) -> Iterator[Path]:
    """Every file that can affect the library, except the packages, which Cargo.lock pins."""
    port = root / "ports" / kernel
    yield from (port / "Cargo.toml", port / "Cargo.lock")
    if (root / "boards" / board).is_dir():  # firmware.py hashes the folder of a user's board
        yield root / "boards" / board / kernel / "kernel.toml"
    yield from (port / "src").rglob("*.rs")


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except OSError:
        return ""
    return done.stdout.strip()


def _sysroot(rustc: str) -> Path:
    return Path(_said([rustc, "--print", "sysroot"]) or "/nowhere")


def _compiler() -> str | None:
    """The first rustc that is new enough and has the sources of its library installed: that of the search path, then
    the distribution's."""
    for rustc in (shutil.which("rustc"), "/usr/bin/rustc"):
        if rustc and _is_new_enough(rustc) and (_sysroot(rustc) / "lib/rustlib/src/rust/library/vendor").is_dir():
            return rustc
    return None


def _is_new_enough(rustc: str) -> bool:
    found = re.match(r"rustc (\d+)\.(\d+)\.", _said([rustc, "--version"]))
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST


def _build(root: Path, board: str, kernel: str, rustc: str, folder: Path) -> None:
    """Build libkernel.a, and leave only it in `folder`."""
    said = tomllib.loads((_model.folder_of(board) / kernel / "kernel.toml").read_text(encoding="utf-8"))
    work = folder / "work"
    port = root / "ports" / kernel
    shutil.copytree(port / "src", work / "src")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(port / name, work)
    # No path of this machine goes into the library, so that every machine builds the same bytes.
    maps = {f"{work}/": "", f"{_sysroot(rustc)}/lib/rustlib/src/rust/": "rust/"}
    flags = [f"--remap-path-prefix={path}={shown}" for path, shown in maps.items()]
    environment = {
        **os.environ,
        "RUSTC": rustc,
        "RUSTC_BOOTSTRAP": "1",  # allows -Zbuild-std, for targets whose library the distribution lacks
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "CARGO_TARGET_DIR": str(work / "target"),
        "RTSTONE_TICK_CLOCK_HZ": str(said["tick_clock_hz"]),
        "RTSTONE_HEAP_BYTES": str(said["heap_bytes"]),
    }
    _cargo(kernel, "fetch", ["vendor", "--quiet", "--locked", "vendored"], work, environment, FETCH_TIMEOUT_S)
    for crate in (_sysroot(rustc) / "lib/rustlib/src/rust/library/vendor").glob(
        "*"
    ):  # the packages that Rust's own library needs
        (work / "vendored" / crate.name).symlink_to(crate)
    options = [f"--features={said['feature']}", f"--target={said['target']}", "-Zbuild-std=core,alloc"]
    replaced = [word for setting in _VENDORED for word in ("--config", setting)]
    build = ["build", "--quiet", "--release", "--offline", "--locked", *options, *replaced]
    _cargo(kernel, "build", build, work, environment, BUILD_TIMEOUT_S)
    (work / "target" / said["target"] / "release" / "libkernel.a").rename(folder / "libkernel.a")
    shutil.rmtree(work)


def _cargo(
    kernel: str, what: str, words: list[str], work: Path, environment: Mapping[str, str], timeout_s: int
) -> None:
    cargo = shutil.which("cargo") or "/usr/bin/cargo"
    try:
        done = subprocess.run(
            [cargo, *words], cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"cargo did not {what} {kernel} within {timeout_s} s") from None
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        reason = next((line for line in said if line.startswith("error")), said[-1])
        raise InfrastructureError(f"cargo could not {what} {kernel}: {reason}")
