# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A release holds what it should, and its wheel alone is enough: installed into a clean environment, run from another folder."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest

from rtstone import __version__
from rtstone.targets.boards.export import export
from support.runs import make_result, make_run

PT_INTERP = 3  # elf(5): the segment that names a dynamic loader
MACHINES = {"x86_64": 62, "aarch64": 183}  # elf(5): e_machine

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
def release(root: Path, tmp_path_factory: pytest.TempPathFactory, clean_env: dict[str, str]) -> Path:
    """The folder of what `make dist` builds but for Debian's packages: the sdist, and both wheels of that."""
    out = tmp_path_factory.mktemp("release")
    env = clean_env | {"XDG_CACHE_HOME": str(root / "build" / "cache"), "SOURCE_DATE_EPOCH": "1700000000"}
    _call(sys.executable, root / "tools" / "dist", "--output", out, "sdist", "amd64", "arm64", cwd=out, env=env)
    return out


def _wheel(release: Path, processor: str) -> Path:
    (built,) = release.glob(f"*{processor}.whl")
    return built


@pytest.fixture(scope="module")
def wheel(release: Path) -> Path:
    """The wheel for this machine."""
    return _wheel(release, os.uname().machine)


@pytest.fixture(scope="module")
def installed(wheel: Path, root: Path, tmp_path_factory: pytest.TempPathFactory, clean_env: dict[str, str]) -> Path:
    """The folder of the programs of a clean environment that has the wheel and what it declares to need."""
    venv = tmp_path_factory.mktemp("clean") / "venv"
    _call(sys.executable, "-m", "venv", "--without-pip", venv, cwd=venv.parent, env=clean_env)
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "--python",
        venv / "bin" / "python",
    ]
    install: list[str | Path] = [*pip, "install", "--no-compile"]  # what a test imports is compiled then
    locked: list[str | Path] = ["--require-hashes", "--only-binary", ":all:", "-r", root / "requirements" / "run.txt"]
    _call(*install, *locked, cwd=venv.parent, env=clean_env)
    _call(*install, "--no-deps", wheel, cwd=venv.parent, env=clean_env)
    _call(*pip, "check", cwd=venv.parent, env=clean_env)
    return venv / "bin"


@pytest.mark.parametrize("processor", MACHINES)
def test_tags_say_any_python_and_either_c_library(release: Path, processor: str) -> None:
    wheel = _wheel(release, processor)
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, version, python, abi) == ("rtstone", __version__, "py3", "none")
    assert set(platform.split(".")) == {f"manylinux_2_17_{processor}", f"musllinux_1_2_{processor}"}
    with zipfile.ZipFile(wheel) as archive:
        about = archive.read(f"rtstone-{__version__}.dist-info/WHEEL").decode()
    assert set(re.findall("^Tag: (.*)$", about, re.MULTILINE)) == {f"py3-none-{one}" for one in platform.split(".")}


@pytest.mark.parametrize("processor", MACHINES)
def test_programs_are_static_and_of_the_processor_that_the_tag_names(release: Path, processor: str) -> None:
    with zipfile.ZipFile(_wheel(release, processor)) as archive:
        for name in ("rtstone-engine", "rtstone-engine-simulated"):
            info = archive.getinfo(f"rtstone/_data/bin/{name}")
            image = archive.read(info)
            assert info.external_attr >> 16 & 0o111, f"{name} cannot be executed once it is installed"
            assert image[:6] == b"\x7fELF\x02\x01", "not a 64-bit little-endian program"
            assert struct.unpack_from("<H", image, 18)[0] == MACHINES[processor]
            assert PT_INTERP not in _segment_types(image), "it asks for a dynamic loader"
            assert b"\0.symtab\0" not in image, "it carries its symbol table"


def test_both_wheels_carry_the_same_files(release: Path) -> None:
    one, other = (
        {name for name in zipfile.ZipFile(_wheel(release, processor)).namelist() if not name.endswith(".bpf.o")}
        for processor in MACHINES
    )
    assert one == other


def test_nothing_of_the_tests_or_of_this_machine_is_released(release: Path, root: Path) -> None:
    (sdist,) = release.glob("*.tar.gz")
    assert sdist.name == f"rtstone-{__version__}.tar.gz"
    looked = 0
    with tarfile.open(sdist) as archive:
        members = [(one.name, archive.extractfile(one)) for one in archive.getmembers() if one.isfile()]
        contents = [(name, file.read()) for name, file in members if file is not None]
    for processor in MACHINES:
        with zipfile.ZipFile(_wheel(release, processor)) as wheel:
            contents += [(name, wheel.read(name)) for name in wheel.namelist()]
    marks = [str(place).encode() for place in (root, release, Path.home()) if place != Path("/root")]
    for name, content in contents:
        assert not {"tests", ".venv", "build", "__pycache__"} & set(Path(name).parts), name
        assert not re.search(r"(^|/)(test_|conftest)[^/]*\.(py|c)$", name), name
        assert not any(mark in content for mark in marks), f"{name} names a folder of this machine"
        looked += 1
    assert looked > 1000


def test_metadata_leaves_to_extras_what_has_no_wheel_for_a_platform_of_ours(wheel: Path) -> None:
    """vl-convert has none for musl, hdrhistogram none for aarch64."""
    with zipfile.ZipFile(wheel) as archive:
        about = archive.read(f"rtstone-{__version__}.dist-info/METADATA").decode()
    needs = [one.replace('"', "'") for one in re.findall("^Requires-Dist: (.*)$", about, re.MULTILINE)]
    assert "typer>=0.12" in needs
    assert [one for one in needs if "vl-convert" in one] == ["vl-convert-python>=1.6; extra == 'images'"]
    hdr = [one.partition("; ")[2] for one in needs if "hdrhistogram" in one]
    assert sorted(hdr) == ["extra == 'hdr'", "platform_machine == 'x86_64'"]


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
    expected.add("rtstone/_data/charts.js")
    if _builds_bpf():
        expected |= {f"rtstone/_data/bin/rtstone_{name}.bpf.o" for name in ("split", "attach")}
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


def test_report_needs_nothing_to_draw_with_and_images_say_what_they_need(
    installed: Path, tmp_path: Path, clean_env: dict[str, str]
) -> None:
    """As where vl-convert cannot be had; everything else of the environment is as it was installed."""
    env = clean_env | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    (tmp_path / "vl_convert.py").write_text("raise ModuleNotFoundError('vl_convert')\n", encoding="utf-8")
    env["PYTHONPATH"] = str(tmp_path)
    run = tmp_path / "run.json"
    run.write_bytes(msgspec.json.encode(make_run("r-1", results=(make_result(count=50),))))

    def report(*more: str | Path) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in (installed / "rtstone", "report", run, *more)]
        return subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    page = report("-o", "page.html")
    assert (page.returncode, page.stderr) == (0, "")
    assert "vegaEmbed" in (tmp_path / "page.html").read_text(encoding="utf-8")
    images = report("--format", "png", "-o", "charts")
    assert images.returncode == 3
    assert images.stderr == "rtstone: images of charts need vl-convert: pip install 'rtstone[images]'\n"
    assert not (tmp_path / "charts").exists()


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
