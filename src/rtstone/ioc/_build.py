# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that are linked with EPICS base, at their first use and whenever an input has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rtstone.cache import cache_root, cached, key_of
from rtstone.errors import InfrastructureError
from rtstone.ioc._base import find_base
from rtstone.resources import data_dir
from rtstone.targets.boards import _cmake

PROGRAMS = ("rtstone-ioc", "rtstone-caput", "rtstone-camonitor", "rtstone-createdb")
ENGINE = "rtstone-engine-epics"
SUPPORT = "librtstone-sampler.so"
SPLIT = "librtstone-split.so"
"""The sampler whose times the kernel stamps."""
INSIDE = "librtstone-engine.so"
"""The engine as a library of the IOC."""
_FOR_TESTS = ("librtstone-scripted.so", "rtstone-threads")
_PACKAGES = {"cmake": "cmake", "ninja": "ninja-build", "cc": "gcc"}
_IOC_SOURCES = (
    *("ioc", "engine/include", "engine/src/histogram.h", "engine/measurements/common"),
    *("ports/posix", "linux", "probe", "cmake/engine.cmake"),
)
_ENGINE_SOURCES = (
    *("ioc/CMakeLists.txt", "ioc/include", "ioc/load"),
    *("engine", "ports/epics", "linux", "probe", "cmake/engine.cmake"),
)
_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
_SUFFIXES = {".c", ".h", ".def", ".cmake", ".txt", ".db", ".dbd", ".acf", ".cmd"}


def sources_root() -> Path:
    """The folder that has engine/, ports/ and ioc/: the checkout, or a folder of the installed package."""
    return Path(str(data_dir("firmware")))


def missing() -> list[str]:
    """The Debian packages without which nothing can be built; empty when nothing is missing."""
    return [package for program, package in _PACKAGES.items() if shutil.which(program) is None]


def build(*, for_tests: bool = False) -> Path:
    """Return the folder with the programs; builds them if necessary, which takes some seconds the first time.

    `for_tests` turns warnings into errors and adds the sampler that tests play with. Raises InfrastructureError when base or a tool is
    missing, or the build fails.
    """
    options = {"RTSTONE_BUILD_TESTS": "ON"} if for_tests else {}
    made = (*PROGRAMS, SUPPORT, SPLIT, *(_FOR_TESTS if for_tests else ()))
    return _built("ioc", _IOC_SOURCES, options, made)


def build_engine() -> Path:
    """Return the engine on libCom; builds it if necessary. Raises InfrastructureError as `build` does."""
    return _built("engine-epics", _ENGINE_SOURCES, {"RTSTONE_EPICS_ENGINE": "ON"}, (ENGINE,)) / ENGINE


def build_inside() -> Path:
    """Return the folder with the programs, and with the engine as a library of the IOC. Raises as `build` does."""
    return _with_engine("inside")


def build_for_guest() -> Path:
    """Return the folder with the programs and the engine as a library of the IOC, built for a guest."""
    return _with_engine("guest")


def _with_engine(where: str) -> Path:
    sources, made = (*_IOC_SOURCES, "engine", "cmake"), (*PROGRAMS, SUPPORT, INSIDE)
    return _built(f"ioc-{where}", sources, {f"RTSTONE_IOC_{where.upper()}": "ON"}, made)


def _built(name: str, sources: Sequence[str], options: Mapping[str, str], made: Sequence[str]) -> Path:
    """The folder with the files that `made` lists."""
    base = find_base()
    lacking = missing()
    if lacking:
        raise InfrastructureError(f"the IOC cannot be built yet: apt-get install {' '.join(lacking)}")
    root = sources_root()
    options = {"EPICSCORELIBS": str(base.core), **options}

    # The programs search for base at its present place, so the place is an input too.
    bpf = shutil.which("clang"), shutil.which("bpftool", path=_PATH), Path("/usr/include/bpf/skel_internal.h").exists()
    texts = [base.version, _compiler_version(), str(bpf), *(f"{key}={value}" for key, value in options.items())]
    folder = f"{name}-{key_of(texts, root, _inputs(root, sources))}"

    def make(place: Path) -> None:
        _configure_and_build(root, place, options | {"RTSTONE_IOC_FOLDER": str(cache_root() / "ioc" / folder)}, made)

    return cached("ioc", folder, make)


def runtime(folder: Path) -> dict[str, Path]:
    """Every file that an IOC and its load need where there is neither Python nor this package, by its future name.

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
    """The name under which programs load a library: the one with the whole version."""
    return next(file.name for file in sorted(folder.glob(f"lib{name}.so.*")))


def _inputs(root: Path, sources: Sequence[str]) -> Iterator[Path]:
    for place in sources:
        if (root / place).is_file():
            yield root / place
        for file in (root / place).rglob("*"):
            if file.suffix in _SUFFIXES:
                yield file


def _compiler_version() -> str:
    program = shutil.which("cc") or "cc"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.splitlines()[0] if done.stdout else ""


def _configure_and_build(root: Path, place: Path, options: Mapping[str, str], made: Sequence[str]) -> None:
    """Leave the files that `made` lists in `place`, and nothing else."""
    work = place / "work"
    _cmake.build("the IOC", root / "ioc", work, [f"-D{key}={value}" for key, value in options.items()])
    for name in made:
        (work / name).rename(place / name)
    shutil.rmtree(work)
