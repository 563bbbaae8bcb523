# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The wheel alone is enough: built here, installed into a clean environment, run from another folder."""

from __future__ import annotations

import csv
import io
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rtstone import __version__
from rtstone.targets.boards.export import export

PT_INTERP = 3  # elf(5): the segment that names a dynamic loader

pytestmark = pytest.mark.timeout(600)


def _call(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    """Return the standard output of a command that must succeed."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _segment_types(image: bytes) -> set[int]:
    """Return the types of the segments that a 64-bit little-endian ELF file asks to be loaded with."""
    (offset,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    return {struct.unpack_from("<I", image, offset + index * size)[0] for index in range(count)}


@pytest.fixture(scope="module")
def clean_env() -> dict[str, str]:
    """The environment without anything that could lead back to the checkout."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RTSTONE_", "VIRTUAL_ENV"))
    }


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory, clean_env: dict[str, str]) -> Path:
    """A wheel built from the checkout, in a build folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build_dir = f"--config-settings=build-dir={tmp_path_factory.mktemp('build')}"
    _call(*pip, "wheel", "--no-deps", "--no-build-isolation", build_dir, "-w", folder, root, cwd=folder, env=clean_env)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, root: Path, tmp_path_factory: pytest.TempPathFactory, clean_env: dict[str, str]) -> Path:
    """The folder of the programs of a clean environment that has the wheel and what it declares to need."""
    venv = tmp_path_factory.mktemp("clean") / "venv"
    _call(sys.executable, "-m", "venv", venv, cwd=venv.parent, env=clean_env)
    pip: list[str | Path] = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    locked: list[str | Path] = ["--require-hashes", "--only-binary", ":all:", "-r", root / "requirements" / "run.txt"]
    _call(*pip, "install", *locked, cwd=venv.parent, env=clean_env)
    _call(*pip, "install", "--no-deps", wheel, cwd=venv.parent, env=clean_env)
    _call(*pip, "check", cwd=venv.parent, env=clean_env)
    return venv / "bin"


def test_tag_says_any_python_one_platform(wheel: Path) -> None:
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, version, python, abi) == ("rtstone", __version__, "py3", "none")
    assert platform.startswith("linux_")


def test_carries_what_the_checkout_has(wheel: Path, root: Path) -> None:
    """Every data file and every module is in the wheel, and nothing else but the programs and the metadata."""
    expected = {
        f"rtstone/_data/{target}/{path.relative_to(root / source).as_posix()}"
        for source, target, patterns in (
            ("studies", "studies", ("*.toml",)),
            ("reference", "reference", ("*.csv", "*.toml")),
            ("spec/schema", "schema", ("*.json",)),
        )
        for pattern in patterns
        for path in (root / source).rglob(pattern)
    }
    assert {name.split("/")[2] for name in expected} == {"studies", "reference", "schema"}
    expected |= {  # the sources of the images that are built where they are asked for
        f"rtstone/_data/firmware/{path.relative_to(root).as_posix()}"
        for source in ("CMakeLists.txt", "cmake", "engine", "ports", "linux", "boards", "probe", "ioc")
        for path in ((root / source).rglob("*") if (root / source).is_dir() else [root / source])
        if path.is_file() and "tests" not in path.relative_to(root).parts
    }
    expected |= {f"rtstone/_data/firmware/{name}" for name in _sources(root)}
    expected |= {"rtstone/_data/bin/rtstone-engine", "rtstone/_data/bin/rtstone-engine-simulated"}
    if _builds_bpf():
        expected.add("rtstone/_data/bin/rtstone_split.bpf.o")
    package = root / "src" / "rtstone"
    expected |= {
        f"rtstone/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")}
    assert names == expected


def _builds_bpf() -> bool:
    """Whether what the BPF programs are built with is here: the optional packages of tools/packages/run.txt."""
    headers = ("/usr/include/bpf/libbpf.h", "/usr/include/libelf.h", "/usr/include/zlib.h")
    return shutil.which("clang") is not None and all(Path(header).is_file() for header in headers)


def _sources(root: Path) -> set[str]:
    """What images and guests are built from, relative to the checkout."""
    files = {"CMakeLists.txt", "LICENSES/Apache-2.0.txt"}
    for folder in ("cmake", "engine", "ports", "linux", "boards", "probe", "ioc"):
        found = [path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file()]
        files |= {path.as_posix() for path in found if "tests" not in path.parts}
    assert {"boards/arm64/board.toml", "ports/freertos/main.c", "engine/src/engine.c"} <= files
    return files


def test_installed_package_builds_an_image(installed: Path, tmp_path: Path, clean_env: dict[str, str]) -> None:
    env = clean_env | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = _call(installed / "python", "-m", "rtstone.targets.boards.firmware", "arm64", "bare", cwd=tmp_path, env=env)
    built = Path(said.strip())
    assert built.is_relative_to(tmp_path / "cache")
    assert built.read_bytes()[:4] == b"\x7fELF"


def test_installed_package_exports_the_engine_of_the_checkout(
    installed: Path, tmp_path: Path, clean_env: dict[str, str]
) -> None:
    _call(installed / "rtstone", "engine", "--export", tmp_path / "there", cwd=tmp_path, env=clean_env)
    export(tmp_path / "here")
    there, here = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "there", tmp_path / "here")
    )
    assert there == here


def test_engine_is_static_and_stripped(installed: Path) -> None:
    (engine,) = installed.parent.glob("lib/python3*/site-packages/rtstone/_data/bin/rtstone-engine")
    assert os.access(engine, os.X_OK)
    image = engine.read_bytes()
    assert image[:6] == b"\x7fELF\x02\x01", "not a 64-bit little-endian program"
    assert PT_INTERP not in _segment_types(image), "it asks for a dynamic loader"
    assert b"\0.symtab\0" not in image, "it carries its symbol table"


def test_runs_from_another_folder(installed: Path, tmp_path: Path, clean_env: dict[str, str]) -> None:
    env = clean_env | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    rtstone = installed / "rtstone"

    assert _call(rtstone, "--version", cwd=tmp_path, env=env).split()[-1] == __version__

    listed = _call(rtstone, "list", cwd=tmp_path, env=env)
    for study in ("sscl", "rhealstone", "spring8"):
        assert study in listed

    rows = list(
        csv.DictReader(
            io.StringIO(_call(rtstone, "reference", "--study", "slac", "--format", "csv", cwd=tmp_path, env=env))
        )
    )
    assert rows
    assert list(rows[0]) == ["study", "table", "row", "platform", "condition", "statistic", "value", "unit"]
    assert {row["study"] for row in rows} == {"slac"}


def test_installed_engine_lists_its_measurements(installed: Path, tmp_path: Path, clean_env: dict[str, str]) -> None:
    script = (
        "import subprocess, rtstone.resources\n"
        "engine = rtstone.resources.engine_path()\n"
        "print(engine, flush=True)\n"
        "subprocess.run([engine, 'list'], check=True)\n"
    )
    out = _call(installed / "python", "-c", script, cwd=tmp_path, env=clean_env)
    assert out.startswith(str(installed.parent)), "the engine is not the installed one"
    assert len(out.splitlines()) > 1
