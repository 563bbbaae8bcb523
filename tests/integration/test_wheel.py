# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A release holds what it should, and its wheel alone is enough: installed into a clean environment, run from another folder."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
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
OTHERS = {"amd64": (2, 62), "arm64": (2, 183), "armhf": (1, 40), "riscv64": (2, 243)}  # its class and e_machine
OWN = {"x86_64": "amd64", "aarch64": "arm64"}

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
    """The folder that `make dist` builds, without Debian's packages: sdist, wheels, SBOM and checksums."""
    out = tmp_path_factory.mktemp("release")
    env = clean_env | {"XDG_CACHE_HOME": str(root / "build" / "cache"), "SOURCE_DATE_EPOCH": "1700000000"}
    parts = ("sdist", "amd64", "arm64", "any", "sbom")
    _call(sys.executable, root / "tools" / "dist", "--output", out, *parts, cwd=out, env=env)
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
    """The folder of the programs of a clean environment that has the wheel and its declared dependencies."""
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
            assert (b"on_expiry" in image) == (name == "rtstone-engine"), "a release has the BPF programs"


@pytest.mark.parametrize("processor", MACHINES)
def test_a_wheel_brings_the_engines_of_the_other_architectures(release: Path, processor: str) -> None:
    with zipfile.ZipFile(_wheel(release, processor)) as archive:
        for name in OTHERS.keys() - {OWN[processor]}:
            image = archive.read(f"rtstone/_data/bin/{name}/rtstone-engine")
            assert (image[:4], image[4]) == (b"\x7fELF", OTHERS[name][0])
            assert struct.unpack_from("<H", image, 18)[0] == OTHERS[name][1]
            assert b"/lib/ld-" not in image, "it asks for a dynamic loader"


def test_wheels_carry_the_same_files_but_for_engines(release: Path) -> None:
    names = {}
    for processor in (*MACHINES, "any"):
        with zipfile.ZipFile(_wheel(release, processor)) as archive:
            names[processor] = {
                name for name in archive.namelist() if not name.startswith("rtstone/_data/bin/") and name[-1] != "/"
            }
            engines = [name for name in archive.namelist() if name.startswith("rtstone/_data/bin/")]
            assert bool(engines) == (processor != "any")
    assert names["x86_64"] == names["aarch64"] == names["any"]


def test_the_wheel_without_an_engine_is_for_any_platform(release: Path) -> None:
    wheel = _wheel(release, "any")
    assert wheel.name == f"rtstone-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        about = archive.read(f"rtstone-{__version__}.dist-info/WHEEL").decode()
    assert "Root-Is-Purelib: true" in about
    assert re.findall("^Tag: (.*)$", about, re.MULTILINE) == ["py3-none-any"]


def test_the_checksums_are_those_of_the_files(release: Path) -> None:
    lines = (release / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = {file for file in release.iterdir() if file.name != "SHA256SUMS"}
    assert listed == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert len(files) == 5


def test_the_sbom_lists_each_locked_dependency(release: Path, root: Path) -> None:
    document = json.loads((release / f"rtstone-{__version__}.cdx.json").read_text())
    assert document["bomFormat"] == "CycloneDX"
    locked = re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", (root / "requirements/run.txt").read_text(), re.MULTILINE)
    assert len(locked) > 20
    assert {(one["name"], one["version"]) for one in document["components"]} == set(locked)
    assert document["metadata"]["component"]["name"] == "rtstone"


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
    """There is no wheel of vl-convert for musl, and no wheel of hdrhistogram but for x86-64."""
    with zipfile.ZipFile(wheel) as archive:
        about = archive.read(f"rtstone-{__version__}.dist-info/METADATA").decode()
    needs = [one.replace('"', "'") for one in re.findall("^Requires-Dist: (.*)$", about, re.MULTILINE)]
    assert "typer<0.29,>=0.26" in needs
    assert [one for one in needs if "vl-convert" in one] == ["vl-convert-python>=1.6; extra == 'images'"]
    assert [one for one in needs if "hdrhistogram" in one] == ["hdrhistogram>=0.10.1; extra == 'hdr'"]


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
    others = OTHERS.keys() - {OWN[os.uname().machine]}
    expected |= {f"rtstone/_data/bin/{other}/rtstone-engine" for other in others}
    expected.add("rtstone/_data/charts.js")
    package = root / "src" / "rtstone"
    expected |= {
        f"rtstone/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")}
    assert names == expected


def _sources(root: Path) -> set[str]:
    """The files that images and guests are built from, relative to the checkout."""
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
    _call(installed / "rtstone", "boards", "export", tmp_path / "there", cwd=tmp_path, env=clean_env)
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


def test_an_installed_wheel_brings_its_engine_to_another_architecture(
    installed: Path, tmp_path: Path, clean_env: dict[str, str]
) -> None:
    script = (
        "from rtstone.targets.remote._machine import engine_for\nprint(*engine_for('ssh:board', 'Linux', 'armv7l'))\n"
    )
    architecture, path = _call(installed / "python", "-c", script, cwd=tmp_path, env=clean_env).split()
    assert architecture == "armhf"
    assert path.startswith(str(installed.parent))
    assert path.endswith("/_data/bin/armhf/rtstone-engine")


def test_without_an_engine_runs_are_read_and_drawn_and_none_is_measured(
    release: Path, installed: Path, tmp_path: Path, clean_env: dict[str, str]
) -> None:
    """The wheel for any platform, before the libraries of the other one."""
    place = tmp_path / "plain"
    with zipfile.ZipFile(_wheel(release, "any")) as archive:
        archive.extractall(place)  # noqa: S202 - our own file
    env = clean_env | {"PYTHONPATH": str(place), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    run = tmp_path / "run.json"
    run.write_bytes(msgspec.json.encode(make_run("r-1", results=(make_result(count=50),))))
    where = _call(installed / "python", "-c", "import rtstone; print(rtstone.__file__)", cwd=tmp_path, env=env)
    assert where.startswith(str(place))
    _call(installed / "python", "-m", "rtstone", "report", run, "-o", "page.html", cwd=tmp_path, env=env)
    assert (tmp_path / "page.html").stat().st_size > 100_000
    words = [str(installed / "python"), "-m", "rtstone", "run", "-m", "thread-switch"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "has no rtstone-engine: install the wheel that is made for this machine" in done.stderr


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_release_is_built_twice_to_the_same_bytes(root: Path, tmp_path: Path, clean_env: dict[str, str]) -> None:
    """Debian's packages too, in two clones of HEAD, by users of different umask, and from nothing that was built before."""
    sums = []
    # The path of one cache begins as its clone's does.
    for name, umask, cache in (("one", "022", "clone-cache"), ("the/other/one", "077", "cache")):
        clone, out = tmp_path / name / "clone", tmp_path / name / "out"
        _call("git", "clone", "-q", root, clone, cwd=tmp_path, env=clean_env)
        env = clean_env | {"XDG_CACHE_HOME": str(tmp_path / name / cache)}
        dist = ("sh", "-c", f'umask {umask}; exec "$@"', "sh", sys.executable, "tools/dist", "--output", out)
        _call(*dist, cwd=clone, env=env)
        sums.append((out / "SHA256SUMS").read_text())
    assert sums[0] == sums[1]
    assert sums[0].count("\n") == 9


_INSTALLED = """set -e
apt-get -q update >/dev/null && apt-get -q install -y --no-install-recommends /carried/*.deb >/dev/null
cd / && rtstone --version
rtstone run -m thread-switch --load none -r 1 --count 1000 -q --archive /tmp/a.sqlite >&2
rtstone report --archive /tmp/a.sqlite last -o /tmp/page.html && test -s /tmp/page.html
test -e /usr/share/man/man1/rtstone-run.1.gz
apt-get -q purge -y rtstone >/dev/null
left=$(find /usr /etc /var -xdev -name '*rtstone*')
test -z "$left" && echo gone"""


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("suite", "release_of_debian"), [("bookworm", "12"), ("trixie", "13")])
def test_the_package_is_installed_on_a_bare_debian_measures_and_goes(
    root: Path, tmp_path: Path, clean_env: dict[str, str], suite: str, release_of_debian: str
) -> None:
    env = clean_env | {"XDG_CACHE_HOME": str(root / "build" / "cache")}
    _call(sys.executable, root / "tools" / "dist", "--output", tmp_path / "out", "amd64", "deb", cwd=root, env=env)
    (package,) = (tmp_path / "out").glob(f"*+deb{release_of_debian}_amd64.deb")
    (tmp_path / "carried").mkdir()
    (tmp_path / "carried" / package.name).write_bytes(package.read_bytes())
    env |= {"CARRIED": str(tmp_path / "carried")}
    said = _call(root / "tools" / "bare-debian", suite, _INSTALLED, cwd=root, env=env).split()
    assert said[-1] == "gone"
    assert __version__ in said


DEFAULT_MB = 300
"""What the default install may take on the disk (as `du -m` counts), without extras."""
_TOOLS = """set -e
tried() {
  rtstone run -m thread-switch --load none -r 1 --count 1000 -q --archive "/tmp/$1.sqlite" >&2
  echo "$1 $(rtstone --version | tr ' ' '\\n' | tail -n 1) $(du -sm "$2" | cut -f 1)"
}
home() { dirname "$(dirname "$(readlink -f /root/.local/bin/rtstone)")"; }
apt-get -q update >/dev/null
apt-get -q install -y --no-install-recommends pipx >/dev/null
cd /
export PATH=/root/.local/bin:$PATH
pipx install /carried/*.whl >&2
tried pipx "$(home)"
pipx uninstall rtstone >&2
pipx install uv >&2
uv tool install /carried/*.whl >&2
tried uv "$(home)"
uv tool uninstall rtstone >&2
apt-get -q install -y --no-install-recommends gcc libc6-dev cmake ninja-build python3-venv >/dev/null
python3 -m venv /rtstone
/rtstone/bin/pip install -q /carried/*.tar.gz >&2
export PATH=/rtstone/bin:$PATH
tried sdist /rtstone"""


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_pipx_uv_and_the_source_install_on_a_bare_debian_and_measure(
    root: Path, release: Path, tmp_path: Path, clean_env: dict[str, str], suite: str
) -> None:
    for file in (_wheel(release, os.uname().machine), *release.glob("*.tar.gz")):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    env = clean_env | {"CARRIED": str(tmp_path)}
    lines = _call(root / "tools" / "bare-debian", suite, _TOOLS, cwd=root, env=env).splitlines()
    said = {name: (version, int(size)) for name, version, size in (line.split() for line in lines)}
    assert said.keys() == {"pipx", "uv", "sdist"}
    assert {version for version, _ in said.values()} == {__version__}
    assert 100 < said["uv"][1] <= said["pipx"][1] <= DEFAULT_MB, said
