# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's own Linux on a board: as a package with headers, as a build tree, as an image alone, or no kernel."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.cache import cache_root
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards
from rtstone.targets.board import open_board
from rtstone.targets.boards.guest import _build, _kernel, _own
from rtstone.targets.boards.guest._debian import unpack
from rtstone.targets.boards.guest._folder import Packaged
from support.board_command import Command, rtstone
from support.images import lasting, lasting_cache

__all__ = ["lasting", "rtstone"]  # fixtures

BOARD = "arm64"
SHORT = ("--count", "20", "-r", "1", "--load", "none", "--no-archive", "--json", "-q")
PLAN = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response", count=20, period_ns=250_000),))


class Debians:
    """Debian's kernel of the board, as it lies in the cache."""

    def __init__(self) -> None:
        self.folder, self.facts = _kernel.fetch(boards.load(BOARD).kernel_of("linux-6.1"))
        self.release = self.facts.release
        self.headers = sorted((self.folder / "debs").glob("*.deb"))


@pytest.fixture(scope="module", autouse=True)
def _trees_are_gone(root: Path) -> Iterator[None]:
    """Removes the unpacked trees of these tests from the lasting cache: their places differ in each test run."""
    yield
    with lasting_cache(root):
        for place in (cache_root() / "linux").glob("own-*"):
            if (place / "tree").is_symlink():
                shutil.rmtree(place)


@pytest.fixture(scope="module")
def debians(root: Path) -> Debians:
    with lasting_cache(root):
        return Debians()


@pytest.fixture(scope="module")
def package(debians: Debians, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linux-image-*.deb with Debian's image, configuration and the one module that the board wants; its headers beside it."""
    place = tmp_path_factory.mktemp("package")
    tree = place / "tree"
    modules = tree / "lib" / "modules" / debians.release / "kernel"
    for folder in (tree / "boot", tree / "DEBIAN", modules):
        folder.mkdir(parents=True)
    shutil.copy(debians.folder / "image", tree / "boot" / f"vmlinuz-{debians.release}")
    shutil.copy(debians.folder / "config", tree / "boot" / f"config-{debians.release}")
    for module in (debians.folder / "modules").rglob("e1000.ko*"):
        shutil.copy(module, modules)
    name, version = f"linux-image-{debians.release}", debians.facts.version
    (tree / "DEBIAN" / "control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: arm64\nMaintainer: A <a@example.org>\nDescription: Linux\n"
    )
    file = place / f"{name}_{version}_arm64.deb"
    command = ["dpkg-deb", "-Znone", "--root-owner-group", "--build", str(tree), str(file)]
    # The same bytes each time: the lasting cache keeps one folder of it.
    env = os.environ | {"SOURCE_DATE_EPOCH": "0"}
    subprocess.run(command, env=env, check=True, capture_output=True, timeout=120)
    for headers in debians.headers:
        shutil.copy(headers, place)
    return file


@pytest.fixture(scope="module")
def tree(debians: Debians, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build tree, made of the files of Debian's packages."""
    place = tmp_path_factory.mktemp("tree")
    for headers in debians.headers:
        unpack(headers, place)
    sources = place / "usr" / "src"
    own = sources / f"linux-headers-{debians.release}"
    makefile = own / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{sources}/"))
    (own / "arch" / "arm64" / "boot").mkdir(parents=True)
    shutil.copy(debians.folder / "image", own / "arch" / "arm64" / "boot" / "Image")
    shutil.copy(debians.folder / "config", own / ".config")
    (own / "include" / "config" / "kernel.release").write_text(f"{debians.release}\n")  # Debian's packs say 6.1.192
    return own


def _kernel_at(path: Path, board: str = BOARD) -> boards.Kernel:
    return boards.load(board).kernel_of(f"kernel:{path}")


def test_a_package_answers_interrupts_in_the_kernel_as_debians_does(package: Path, debians: Debians) -> None:
    target = open_board(f"{BOARD}/kernel:{package}?append=threadirqs&name=mine")
    with target:
        target.deploy()
        lines = b"\n".join(target.start(PLAN))
    assert b'"entered":"vector"' in lines or b'"entered":"handler"' in lines
    facts = target.describe()
    assert facts["board.kernel.release"] == debians.release
    image, config = ((debians.folder / name).read_bytes() for name in ("image", "config"))
    assert facts["board.image.sha256"] == hashlib.sha256(image).hexdigest()
    assert facts["board.kernel.config.sha256"] == hashlib.sha256(config).hexdigest()
    assert facts["board.kernel.probe"] == "built for it"
    assert facts["board.title"].endswith(", mine")
    assert facts["board.append"].split()[1] == "threadirqs"
    assert not any(str(package.parent) in value for name, value in facts.items() if name != "board.kernel")


def test_an_image_alone_is_measured_from_user_space(rtstone: Command, debians: Debians, tmp_path: Path) -> None:
    alone = tmp_path / "Image.gz"
    alone.write_bytes(gzip.compress((debians.folder / "image").read_bytes(), 1))
    ended = rtstone("run", "-t", f"board:{BOARD}/linux", "--kernel", str(alone), "-m", "interrupt-response", *SHORT)
    (run,) = ended.json["runs"]
    assert (ended.code, run["status"]) == (0, "complete")
    assert run["host"]["board.kernel.probe"] == _own.NO_HEADERS
    (session,) = run["sessions"]
    notes = {note["kind"] for result in session["results"] for note in result["notes"]}
    assert "substituted" in notes


def test_what_does_not_boot_says_its_last_words_and_leaves_nothing(rtstone: Command, debians: Debians) -> None:
    words = ("--kernel", str(debians.folder / "image"), "--append", "rdinit=/nothing")
    asked = ("-m", "interrupt-response", "--count", "20", "-r", "1", "--load", "none", "-q")
    ended = rtstone("run", "-t", f"board:{BOARD}/linux", *words, *asked)
    assert ended.code == 3
    (line,) = ended.err.splitlines()
    assert line.startswith(f"rtstone: board:{BOARD}/kernel:")
    assert "the guest panicked: " in line
    assert "Kernel panic - not syncing" in line
    assert "no runs in " in rtstone("archive", "list").err


def test_a_build_tree_has_the_module_built_against_it(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # what comes of a tree is its own each time
    kernel = _kernel_at(tree)
    place, facts = _kernel.fetch(kernel)
    fitted = _own.fitted(kernel, place)
    assert (place / "tree").resolve() == tree.resolve()
    assert fitted.modules == tuple(module for module in kernel.modules if module.startswith("rtstone_probe"))
    assert f"vermagic={facts.release} ".encode() in _build.own_module("rtstone_probe", place, facts).read_bytes()


def test_what_makefiles_are_run_is_said_before(tree: Path, rtstone: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rtstone.cli._session.measure_and_show", lambda job, wishes: None)
    ended = rtstone("run", "-t", f"board:{BOARD}/linux", "--kernel", str(tree), "-m", "interrupt-response", *SHORT)
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [f"rtstone: the probe module is built in {tree}: that runs the Makefiles of this tree, as you"],
    )


def _half(tree: Path, folder: Path, missing: str) -> Path:
    for name in ("Makefile", ".config", "arch/arm64/boot/Image", "include/config/kernel.release"):
        if name != missing and (tree / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(tree / name, folder / name)
    return folder


@pytest.mark.parametrize("missing", ["Makefile", ".config", "arch/arm64/boot/Image"])
def test_a_tree_that_is_half_built_is_refused(rtstone: Command, tree: Path, tmp_path: Path, missing: str) -> None:
    half = _half(tree, tmp_path, missing)
    ended = rtstone("run", "-t", f"board:{BOARD}", "--kernel", str(half), "-m", "interrupt-response", *SHORT)
    assert ended.code == 2
    assert f"has no {missing}" in ended.err.splitlines()[-1]


def test_a_tree_in_which_no_module_builds_is_no_verdict(rtstone: Command, tree: Path, tmp_path: Path) -> None:
    half = _half(tree, tmp_path, "")
    for name in _own._NEEDED:
        (half / name).parent.mkdir(parents=True, exist_ok=True)
        (half / name).touch()
    (half / "Makefile").write_text("modules:\n\t@echo 'x.c:1: error: no such thing' >&2; false\n")
    asked = ("run", "-t", f"board:{BOARD}", "--kernel", str(half), "-m", "interrupt-response", *SHORT)
    ended = rtstone(*asked)
    assert (ended.code, "cannot be built for" in ended.err, "error: no such thing" in ended.err) == (3, True, True)
    gate = tmp_path / "gate.toml"
    gate.write_text(
        f'schema = "rtstone.check"\nversion = "1.0"\ntime = "instruction-time"\n[measure]\ntarget = "board:{BOARD}/linux"\n'
        '[[bound]]\nmeasurement = "interrupt-response"\nquantity = "interrupt-task-response"\nrequire = ["min < 1ms"]\n'
    )
    ended = rtstone("check", str(gate), "--measure", "--bisect", "--kernel", str(half))
    assert (ended.code, "cannot be judged: " in ended.err) == (125, True)
    ended = rtstone("check", str(gate), "--measure", "--bisect", "--kernel", str(tmp_path / "nothing"))
    assert ended.code == 125


def test_an_image_of_another_build_than_its_tree_is_refused(rtstone: Command, tree: Path, tmp_path: Path) -> None:
    half = _half(tree, tmp_path, "")
    (half / "include" / "config").mkdir(parents=True, exist_ok=True)
    (half / "include" / "config" / "kernel.release").write_text("6.99.0\n")
    ended = rtstone("run", "-t", f"board:{BOARD}", "--kernel", str(half), "-m", "interrupt-response", *SHORT)
    assert (ended.code, "is 6.99.0: build it to its end" in ended.err) == (2, True)


def test_a_kernel_of_another_architecture_is_refused(rtstone: Command, package: Path, debians: Debians) -> None:
    for path, said in ((package, "is for arm64, and the board is amd64"), (debians.folder / "image", "not a bzImage")):
        ended = rtstone("run", "-t", "board:pc/linux", "--kernel", str(path), "-m", "interrupt-response", *SHORT)
        assert ended.code == 2
        (line,) = ended.err.splitlines()
        assert said in line


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nothing", None, "no such file"),
        ("Image", b"", "not an arm64 image"),
        ("Image", bytes(56) + b"ARM\x64" + bytes(100), "does not say which Linux it is"),
        ("Image.gz", b"\x1f\x8b nothing", "cannot be unpacked"),
        ("vmlinux", b"\x7fELF" + bytes(60), "is an ELF file"),
        ("linux-image.deb", b"!<arch>\n", "is no Debian package"),
    ],
)
def test_what_is_no_kernel_is_refused(
    rtstone: Command, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    ended = rtstone("run", "-t", f"board:{BOARD}/linux", "--kernel", str(path), "-m", "interrupt-response", *SHORT)
    assert ended.code == 2
    (line,) = ended.err.splitlines()
    assert said in line


@pytest.mark.parametrize(
    "words",
    [
        ("-t", "board:arm64/linux-6.1", "--kernel", "x"),
        ("-t", "board:mps2-an385", "--kernel", "x"),
        ("-t", "local", "--kernel", "x"),
        ("-t", "board:pc-hub", "--kernel", "x"),
        ("-t", "board:arm64", "--append", "x"),
        ("-t", "board:arm64", "--name", "x"),
        ("-t", "board:arm64", "--kernel", "x", "--firmware", "x"),
        ("-t", "board:arm64/kernel:x?nonesuch=1"),
        ("-t", "board:arm64/kernel:"),
    ],
)
def test_words_that_do_not_go_together(rtstone: Command, words: tuple[str, ...]) -> None:
    ended = rtstone("run", *words, "-m", "interrupt-response", *SHORT)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)


def test_a_module_less_kernel_goes_without_the_probe(tmp_path: Path) -> None:
    (tmp_path / "debs").mkdir()
    (tmp_path / "debs" / "x.deb").touch()
    (tmp_path / "config").write_text("# CONFIG_MODULES is not set\n")
    fitted = _own.fitted(_kernel_at(tmp_path), tmp_path)
    assert fitted.modules == ()
    assert "rtstone.probe=" not in fitted.append
    facts = _own.facts(tmp_path, Packaged(package="", version="", release="6.1", architecture="arm64"), fitted)
    assert facts["kernel.probe"] == "the kernel takes no modules"
