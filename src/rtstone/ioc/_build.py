# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds what is linked with EPICS base, when it is first asked for and whenever an input has changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from rtstone.boards import cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.ioc._base import Base, find_base
from rtstone.resources import data_dir

BUILD_TIMEOUT_S = 600

PROGRAMS = ("rtstone-ioc", "rtstone-caput", "rtstone-camonitor", "rtstone-createdb", "rtstone-engine-epics")
SUPPORT = "librtstone-sampler.so"
_FOR_TESTS = ("librtstone-scripted.so",)
_PACKAGES = {"cmake": "cmake", "ninja": "ninja-build", "cc": "gcc"}
_SOURCES = ("engine", "ports/posix", "ports/epics", "probe", "ioc", "cmake")
_SUFFIXES = {".c", ".h", ".def", ".cmake", ".txt", ".db", ".dbd", ".acf", ".cmd"}


def sources_root() -> Path:
    """The folder that has engine/, ports/ and ioc/: the checkout, or a folder of the installed package."""
    return Path(str(data_dir("firmware")))


def missing() -> list[str]:
    """The Debian packages without which nothing can be built; empty when nothing is missing."""
    return [package for program, package in _PACKAGES.items() if shutil.which(program) is None]


def build(*, for_tests: bool = False) -> Path:
    """Return the folder with the programs, built if they are not there already; the first time takes some ten seconds.

    `for_tests` turns warnings into errors and adds the sampler that tests play with. Raises InfrastructureError when base or a tool is
    missing, or the build fails.
    """
    base = find_base()
    lacking = missing()
    if lacking:
        raise InfrastructureError(f"the IOC cannot be built yet: apt-get install {' '.join(lacking)}")
    root = sources_root()

    def make(place: Path) -> None:
        _configure_and_build(root, base, place, for_tests=for_tests)

    # The programs look for base where it is now, so its place is an input too.
    texts = [base.version, str(base.core), str(for_tests), _compiler_version()]
    return cached("ioc", f"ioc-{key_of(texts, root, _inputs(root))}", make)


def runtime(folder: Path) -> dict[str, Path]:
    """Every file that an IOC and its load need to run where there is neither Python nor this package, by the name that each is to have.

    `folder` is what `build` returned. Programs and libraries belong into one folder: they find each other there. The C library and
    libstdc++ are not among them.
    """
    base = find_base()
    root = sources_root() / "ioc"
    files = {name: folder / name for name in (*PROGRAMS, SUPPORT)}
    for name in ("Com", "ca", "dbCore", "dbRecStd"):
        library = (base.core / "lib" / f"lib{name}.so").resolve()
        files[library.name if ".so." in library.name else _versioned(base.core / "lib", name)] = library
    files |= {f"dbd/{file.name}": file for file in sorted((base.core / "dbd").glob("*.dbd"))}
    files["dbd/rtstone.dbd"] = root / "support" / "rtstone.dbd"
    files |= {f"db/{file.name}": file for file in sorted((root / "database").iterdir()) if file.is_file()}
    files["st.cmd"] = root / "program" / "st.cmd"
    return files


def _versioned(folder: Path, name: str) -> str:
    """The name under which programs ask for a library: the one with the whole version."""
    return next(file.name for file in sorted(folder.glob(f"lib{name}.so.*")))


def _inputs(root: Path) -> Iterator[Path]:
    for place in _SOURCES:
        for file in (root / place).rglob("*"):
            if file.suffix in _SUFFIXES:
                yield file


def _compiler_version() -> str:
    program = shutil.which("cc") or "cc"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.splitlines()[0] if done.stdout else ""


def _configure_and_build(root: Path, base: Base, place: Path, *, for_tests: bool) -> None:
    """Leave the programs in `place`, and nothing else."""
    work = place / "work"
    configure = [
        *("cmake", "-S", str(root / "ioc"), "-B", str(work), "-G", "Ninja", "--log-level=WARNING"),
        *(f"-DEPICSCORELIBS={base.core}", f"-DRTSTONE_BUILD_TESTS={'ON' if for_tests else 'OFF'}"),
    ]
    for command in (configure, ["cmake", "--build", str(work), "-j", "2"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=BUILD_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise InfrastructureError(f"building the IOC took more than {BUILD_TIMEOUT_S} s") from None
        if done.returncode != 0:
            raise InfrastructureError(f"the IOC could not be built: {_first_error(done.stdout + done.stderr)}")
    for name in (*PROGRAMS, SUPPORT, *(_FOR_TESTS if for_tests else ())):
        (work / name).rename(place / name)
    shutil.rmtree(work)


def _first_error(text: str) -> str:
    """The line of a build's output that says what is wrong, as far as can be told."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search(r"\berror\b|undefined reference", line, re.IGNORECASE)]
    return (wrong or lines or ["it said nothing"])[0]
