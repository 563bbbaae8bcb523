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
from collections.abc import Iterator
from pathlib import Path

from rtstone.cache import cached, is_cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _cargo, _model

PACKAGES = ("rustc-web", "rust-web-src")
"""The Debian packages of the compiler, and of the sources of its library."""
OLDEST = (1, 88)
"""The oldest rustc that compiles the kernels: naked functions are stable since this version. Debian 12 has it in its
security updates."""
BUILD_TIMEOUT_S = 1800
FETCH_TIMEOUT_S = 300
_VENDORED = ("source.crates-io.replace-with='vendored'", "source.vendored.directory='vendored'")


def is_rust(root: Path, kernel: str) -> bool:
    """Whether cargo builds a port's kernel; `root`: the folder that has ports/."""
    return (root / "ports" / kernel / "Cargo.toml").is_file()


def missing(root: Path, board: str, kernel: str) -> list[str]:
    """The Debian packages that must be installed before `library` can work."""
    compiler = [] if _compiler() else [*PACKAGES]
    built = not compiler and is_cached(kernel, _cache_name(root, board, kernel))
    return compiler if built or _cargo.find() else [_cargo.PACKAGE, *compiler]


def version() -> str:
    """The output of ``rustc --version``; empty without a suitable compiler."""
    rustc = _compiler()
    return _cargo.version(rustc) if rustc else ""


def library(root: Path, board: str, kernel: str) -> Path:
    """Return the folder with libkernel.a, and the compiler's version in the file ``compiler``.

    Raises InfrastructureError, in one line, when a tool is missing, the registry cannot be reached, a package is not the one that
    Cargo.lock names, or the build fails.
    """
    rustc = _compiler()
    if rustc is None:
        raise InfrastructureError(
            f"{kernel} needs rustc {'.'.join(map(str, OLDEST))} with the sources of its library: "
            f"apt-get update && apt-get install {' '.join(missing(root, board, kernel))}"
        )

    def make(folder: Path) -> None:
        _build(root, board, kernel, rustc, folder)
        (folder / "compiler").write_text(version() + "\n", encoding="ascii")

    return cached(kernel, _cache_name(root, board, kernel), make)


def _cache_name(root: Path, board: str, kernel: str) -> str:
    settings = (_model.folder_of(board) / kernel / "kernel.toml").read_text(encoding="utf-8")
    return f"{board}-{key_of([version(), settings], root, inputs(root, board, kernel))}"


def inputs(root: Path, board: str, kernel: str) -> Iterator[Path]:
    """Every file that can affect the library, except the packages, which Cargo.lock pins."""
    port = root / "ports" / kernel
    yield from (port / "Cargo.toml", port / "Cargo.lock")
    if (root / "boards" / board).is_dir():  # firmware.py hashes the folder of a user's board
        yield root / "boards" / board / kernel / "kernel.toml"
    yield from (port / "src").rglob("*.rs")


def _sysroot(rustc: str) -> Path:
    done = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=False, timeout=60)
    return Path(done.stdout.strip() or "/nowhere")


def _compiler() -> str | None:
    """The first rustc that is new enough and has the sources of its library installed: that of the search path, then
    the distribution's."""
    for rustc in (shutil.which("rustc"), "/usr/bin/rustc"):
        if rustc and _is_new_enough(rustc) and (_sysroot(rustc) / "lib/rustlib/src/rust/library/vendor").is_dir():
            return rustc
    return None


def _is_new_enough(rustc: str) -> bool:
    found = re.match(r"rustc (\d+)\.(\d+)\.", _cargo.version(rustc))
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
    fetch = ["vendor", "--quiet", "--locked", "vendored"]
    _cargo.run(f"fetch {kernel}", fetch, work, FETCH_TIMEOUT_S, environment=environment)
    for crate in (_sysroot(rustc) / "lib/rustlib/src/rust/library/vendor").glob(
        "*"
    ):  # the packages that Rust's own library needs
        (work / "vendored" / crate.name).symlink_to(crate)
    options = [f"--features={said['feature']}", f"--target={said['target']}", "-Zbuild-std=core,alloc"]
    replaced = [word for setting in _VENDORED for word in ("--config", setting)]
    build = ["build", "--quiet", "--release", "--offline", "--locked", *options, *replaced]
    _cargo.run(f"build {kernel}", build, work, BUILD_TIMEOUT_S, environment=environment)
    (work / "target" / said["target"] / "release" / "libkernel.a").rename(folder / "libkernel.a")
    shutil.rmtree(work)
